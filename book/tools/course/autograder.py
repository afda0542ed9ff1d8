"""How nbgrader runs what was handed in: each cell within bounds, away from answers.

nbgrader's own executor gives up a notebook whose kernel dies or cannot be interrupted.
This one stops the cell, gives it a sentence, starts a fresh kernel, runs the answers
before it again, and goes on: a cell that never ends costs its own marks alone.

A check does not run there. The kernel tells what an answer gives for the inputs of its
exercise; what is right for them is known here, in a process that runs no answer.
"""

import ast
import asyncio
import copy
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_output
from nbgrader.preprocessors import Execute, OverwriteCells
from nbgrader.utils import is_grade
from traitlets import Integer

import lib
from book.tools.course.desk.fence import readable
from book.tools.course.desk.values import MARK, read
from book.tools.course.hidden import draws, record, verdict
from book.tools.course.inputs import lay_desk
from book.tools.course.reports import reaches, report
from book.tools.course.wall import walled
from lib.exercises import CheckFailed
from lib.exercises.outcome import Outcome

_MOST_TOLD = 60_000  # bytes of sentences for the teacher; a pipe holds no more
_STARTING = 300  # seconds to start and to load PyTorch, also on a busy machine
_PRELUDE = """\
__import__("desk.answer")  # and PyTorch, before a cell is timed
__import__("desk.fence").fence.Fence({desk!r}, {folder!r}, {pipe}).put_up()"""
_HAND_IN = """\
__import__("desk.answer").answer.hand_in(
    {chapter!r}, {name!r}, globals().get({answer!r}, ...), {draws!r}
)"""


class Restore(OverwriteCells):  # type: ignore[misc]
    """Puts the checks back, also for who pasted a cell or deleted a whole exercise.

    nbgrader's own gives up a notebook with a cell of another assignment, and one that
    lacks the answer in front of a check that is missing, too.
    """

    def add_missing_grade_cells(
        self, nb: NotebookNode, resources: Any
    ) -> tuple[NotebookNode, Any]:
        """Add the checks that are missing, behind everything else."""
        there = set()
        for cell in nb.cells:
            if "grade_id" in cell.metadata.get("nbgrader", {}):
                there.add(cell.metadata.nbgrader["grade_id"])
            else:  # a cell of the student's own, or out of another assignment
                cell.metadata.pop("nbgrader", None)
        place = (self.notebook_id, self.assignment_id)
        for check in self.gradebook.find_notebook(*place).grade_cells:
            if check.name not in there:
                cell = self.gradebook.find_source_cell(check.name, *place)
                nb.cells.append(self.missing_cell_transform(cell, check.max_score))
                self._tell(f"{check.name} was missing: it was put back.")
        return nb, resources

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Put the checks back, and tell the teacher what had been changed."""
        self._about = resources["nbgrader"]
        return super().preprocess(nb, resources)

    def report_change(self, name: str, attr: str, old: Any, new: Any) -> None:
        """Tell the teacher of a cell that is not as it was given out."""
        what = "text" if attr == "checksum" else attr
        self._tell(f"{name} had another {what}: it was put back.")

    def _tell(self, sentence: str) -> None:
        report(self._about["student"], self._about["assignment"], [sentence])


class Grade(Execute):  # type: ignore[misc]
    """Runs a notebook in a scratch copy of its folder, cell by cell, within bounds."""

    characters = Integer(100_000, help="what one cell may print").tag(config=True)
    seed = Integer(0, help="what hidden values are drawn from").tag(config=True)

    def __init__(self, **settings: Any) -> None:
        settings.setdefault("shutdown_kernel", "immediate")
        super().__init__(**settings)
        self.interrupt_on_timeout = False  # code can catch an interrupt, and go on
        self.startup_timeout = self.iopub_timeout = _STARTING
        self.extra_arguments = [
            "--InteractiveShellApp.ignore_cwd=True",  # no modules out of the folder
            "--HistoryManager.hist_file=:memory:",
            "--log-level=ERROR",
        ]

    def preprocess(
        self, nb: NotebookNode, resources: Any = None, km: Any = None
    ) -> tuple[NotebookNode, Any]:
        """Run the notebook; what it does to its folder is gone afterwards."""
        self._stopped: set[int] = set()
        about, told = resources["metadata"], resources["nbgrader"]
        handed_in = about["path"]
        pipe, self._pipe = os.pipe()
        os.set_blocking(pipe, False)  # a kernel that is left over holds the other end
        with (
            open(pipe, "rb", buffering=0) as refused,
            tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as desk,
        ):
            self._desk = Path(desk)
            lay_desk(Path(lib.__file__).parent, self._desk)
            (self._desk / "kernel").mkdir()
            about["path"] = str(self._desk / "work")
            shutil.copytree(handed_in, about["path"])
            sentences = list(_lines_to_read(nb))
            try:
                nb, resources = super().preprocess(nb, resources)
            finally:
                about["path"] = handed_in
                os.close(self._pipe)
                lines = (refused.read(_MOST_TOLD) or b"").decode(errors="replace")
                sentences += [f"Refused: it {line}." for line in lines.splitlines()]
                report(told["student"], told["assignment"], sentences)
        return nb, resources

    def preprocess_cell(
        self, cell: NotebookNode, resources: Any, index: int
    ) -> tuple[NotebookNode, Any]:
        """Run one cell; one that has to be stopped gets a sentence for its output."""
        self._printed, self._most = 0, self.characters
        answer = _answer(cell) if is_grade(cell) else None
        if answer:
            cell.outputs = [self._verdict(cell, answer, resources, index)]
            self.nb.cells[index] = cell
            return cell, resources
        try:
            cell, resources = super().preprocess_cell(cell, resources, index)
        except (CellTimeoutError, DeadKernelError) as error:
            self._stop(cell, error, index)
        return cell, resources

    def _verdict(
        self, cell: NotebookNode, answer: str, resources: Any, index: int
    ) -> NotebookNode:
        """What is said of an answer: the kernel tells what it gives, and no more."""
        number = cell.metadata.nbgrader.grade_id.removeprefix("check-")
        number = number.replace("-", ".")
        recorded, seeds = record(number), draws(number, self.seed)
        about = {"chapter": recorded.chapter, "name": recorded.name}
        asked = new_code_cell(_HAND_IN.format(**about, answer=answer, draws=seeds))
        self._most = 100 * self.characters
        try:
            asked, _ = super().preprocess_cell(asked, resources, index)
        except (CellTimeoutError, DeadKernelError) as error:
            self._stop(asked, error, index)
        try:
            praise = verdict(number, self.seed, _tried(asked))
        except CheckFailed as failure:
            return _failed("CheckFailed", str(failure))
        return new_output("stream", name="stdout", text=f"{praise}\n")

    def _stop(self, cell: NotebookNode, error: Exception, index: int) -> None:
        """Give up a cell, and go on behind it."""
        self._stopped.add(index)
        sentence = self._sentence(error)
        cell.outputs = [*cell.get("outputs", []), _failed("Stopped", sentence)]
        self._start_again(index)

    def _sentence(self, error: Exception) -> str:
        if self._printed > self._most:
            why = f"it printed more than {self._most:,} characters."
        elif isinstance(error, CellTimeoutError):
            why = f"it had not ended after {self.timeout} seconds."
        else:
            why = "it ended the program that ran it."
        return f"This cell was stopped: {why}"

    def _start_again(self, index: int) -> None:
        """Bring a fresh kernel to where the last one was, without what was stopped."""
        self._listening.cancel()  # nbclient would go on with what the cell still says
        self._printed = 0
        self._cleanup_kernel()
        self.create_kernel_manager()
        self.start_new_kernel()
        self.start_new_kernel_client()
        for place, cell in enumerate(self.nb.cells[:index]):
            if place in self._stopped or cell.cell_type != "code" or is_grade(cell):
                continue
            self._printed = 0
            try:
                self.execute_cell(copy.deepcopy(cell), place)
            except (CellTimeoutError, DeadKernelError):
                self._stopped.add(place)
                return self._start_again(index)
            finally:
                self.nb.cells[place] = cell  # with what it showed the first time
        return None

    def start_new_kernel(self, **settings: Any) -> None:
        """Start a kernel that finds what lies on the desk, and leaves no caches."""
        desk, work, kernel = (str(self._desk / name) for name in ("", "work", "kernel"))
        found = {"PYTHONPATH": desk, "TMPDIR": work, "IPYTHONDIR": kernel}
        found["PYTHONDONTWRITEBYTECODE"] = "1"
        settings |= {"env": os.environ | found, "pass_fds": [self._pipe]}
        here = str(Path(lib.__file__).parents[1])
        shown = [path for path in readable() if path != here]
        with walled([*shown, desk], [work, kernel, os.devnull]) as walls:
            super().start_new_kernel(**settings, **walls)

    def create_kernel_manager(self) -> Any:
        """Let the kernel find what it is told behind the wall."""
        manager = super().create_kernel_manager()
        manager.connection_file = str(self._desk / "kernel" / "connection.json")
        return manager

    def start_new_kernel_client(self) -> Any:
        """Connect to the kernel, and put up the fence."""
        client = super().start_new_kernel_client()
        desk, folder = str(self._desk), str(self._desk / "work")
        self._quietly(_PRELUDE.format(desk=desk, folder=folder, pipe=self._pipe))
        return client

    def _quietly(self, code: str) -> None:
        """Run code of the grader's own in the kernel."""
        reply = self.wait_for_reply(self.kc.execute(code, silent=True))
        if reply["content"]["status"] != "ok":
            raise RuntimeError(f"Grading stopped: {reply['content']}")

    def _get_timeout(self, cell: NotebookNode | None) -> Any:
        return _STARTING if cell is None else super()._get_timeout(cell)

    async def _async_poll_output_msg(self, *about: Any) -> None:
        self._listening = asyncio.ensure_future(super()._async_poll_output_msg(*about))
        await self._listening

    def process_message(self, msg: Any, cell: NotebookNode, cell_index: int) -> Any:
        """Take what a cell shows, up to the limit."""
        content = msg["content"]
        parts = (content.get(key) for key in ("text", "data", "traceback"))
        self._printed += sum(len(str(part)) for part in parts if part)
        shows = msg["msg_type"] in ("stream", "display_data", "execute_result", "error")
        if shows and self._printed > self._most:
            return None
        return super().process_message(msg, cell, cell_index)

    async def _async_check_alive(self) -> None:  # asked once a second
        if self._printed > self._most:
            raise DeadKernelError("It prints without end.")
        await super()._async_check_alive()

    async def _async_handle_timeout(self, timeout: int, cell: Any = None) -> None:
        raise CellTimeoutError(f"It did not end in {timeout} seconds.")


def _answer(cell: NotebookNode) -> str | None:
    """The name of what a check is called with; None for a cell of another make."""
    for node in ast.walk(ast.parse(cell.source)):
        if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("check."):
            return ast.unparse(node.args[0])
    return None


def _tried(asked: NotebookNode) -> Iterator[Outcome]:
    """What an answer gave, case by case, and a failure where that ends."""
    texts = [out.text for out in asked.outputs if out.output_type == "stream"]
    for line in "".join(texts).split("\n"):
        if line.startswith(MARK):
            yield read(line)
    errors = [out.evalue for out in asked.outputs if out.output_type == "error"]
    raise CheckFailed(errors[0] if errors else "what the answer gave did not arrive.")


def _failed(name: str, sentence: str) -> NotebookNode:
    return new_output("error", ename=name, evalue=sentence, traceback=[sentence])


def _lines_to_read(notebook: NotebookNode) -> Iterator[str]:
    """For the teacher: each line of a student's own that may look for answers."""
    for cell in notebook.cells:
        about = cell.metadata.get("nbgrader", {})
        if cell.cell_type == "code" and not about.get("locked"):
            where = about.get("grade_id", "A cell of the student's own")
            for line in reaches(cell.source):
                yield f"{where} has the line: {line}"
