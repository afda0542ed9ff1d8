"""How nbgrader runs what was handed in: each cell within bounds, away from answers.

nbgrader's own executor gives up a notebook whose kernel dies or cannot be interrupted.
This one stops the cell, gives it a sentence, starts a fresh kernel, runs the answers
before it again, and goes on: a cell that never ends costs its own marks alone.

A check does not run there. The kernel tells what an answer gives for the inputs of its
exercise; what is right for them is known here, in a process that runs no answer.
"""

import asyncio
import contextlib
import copy
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_output
from nbgrader.preprocessors import Execute
from nbgrader.utils import is_grade, is_locked
from traitlets import Integer

import lib
from book.tools.course.desk.values import MARK, read
from book.tools.course.handed_in import checked
from book.tools.course.hidden import draws, record, verdict
from book.tools.course.inputs import lay_desk
from book.tools.course.reports import reaches, report
from book.tools.course.wall import no_wall, walled
from lib.exercises import CheckFailed
from lib.exercises.outcome import Outcome

_STARTING = 300  # seconds to start and to load PyTorch, also on a busy machine
_HAND_IN = """\
__import__("desk.answer").answer.hand_in(
    {chapter!r}, {name!r}, globals().get({answer!r}, ...), {draws!r}
)"""


class Grade(Execute):  # type: ignore[misc]
    """Runs a notebook in a scratch copy of its folder, cell by cell, within bounds."""

    characters = Integer(100_000, help="what one cell may print").tag(config=True)
    seed = Integer(0, help="what hidden values are drawn from").tag(config=True)

    def __init__(self, **settings: Any) -> None:
        settings.setdefault("shutdown_kernel", "immediate")
        super().__init__(**settings)
        self._printed = self._most = 0  # it is asked before any cell
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
        if no_wall():
            report(told["student"], told["assignment"], _lines_to_read(nb))
        # The kernel's sockets lie there, and their paths may not be long.
        place = None if no_wall() else "/tmp"
        made = tempfile.TemporaryDirectory(dir=place, ignore_cleanup_errors=True)
        with made as desk:
            self._desk = Path(desk)
            lay_desk(Path(lib.__file__).parent, self._desk)
            fonts = Path(".cache", "matplotlib")  # a plot need not look for them again
            (self._desk / "kernel").mkdir()
            with contextlib.suppress(OSError):
                shutil.copytree(Path.home() / fonts, self._desk / "kernel" / fonts)
            about["path"] = str(self._desk / "work")
            shutil.copytree(handed_in, about["path"])
            self._given = list(_given(nb))
            try:
                return super().preprocess(nb, resources)
            finally:
                about["path"] = handed_in

    def preprocess_cell(
        self, cell: NotebookNode, resources: Any, index: int
    ) -> tuple[NotebookNode, Any]:
        """Run one cell; one that has to be stopped gets a sentence for its output."""
        self._printed, self._most = 0, self.characters
        answer, run = checked(cell) if is_grade(cell) else "", cell
        if answer:
            self._most *= 100
            run = new_code_cell(self._question(_number(cell), answer))
        try:
            run, resources = super().preprocess_cell(run, resources, index)
        except (CellTimeoutError, DeadKernelError) as error:
            self._stopped.add(index)
            run.outputs = [*run.get("outputs", []), self._stop(error)]
            self._start_again(index)
        if answer:
            cell.outputs = [self._verdict(_number(cell), run)]
            self.nb.cells[index] = cell
        return cell, resources

    def _question(self, number: str, answer: str) -> str:
        """What the kernel is asked of an answer: what it gives, and no more."""
        about, seeds = record(number), draws(number, self.seed)
        named = {"chapter": about.chapter, "name": about.name}
        return _HAND_IN.format(**named, answer=answer, draws=seeds)

    def _verdict(self, number: str, asked: NotebookNode) -> NotebookNode:
        """What is said of what an answer gave."""
        try:
            praise = verdict(number, self.seed, _tried(asked))
        except CheckFailed as failure:
            return _failed("CheckFailed", str(failure))
        return new_output("stream", name="stdout", text=f"{praise}\n")

    def _stop(self, error: Exception) -> NotebookNode:
        """What is said where a cell was given up."""
        if self._printed > self._most:
            why = f"it printed more than {self._most:,} characters."
        elif isinstance(error, CellTimeoutError):
            why = f"it had not ended after {self.timeout} seconds."
        else:
            why = "it ended the program that ran it."
        return _failed("Stopped", f"This cell was stopped: {why}")

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
        work, kernel = self._desk / "work", self._desk / "kernel"
        found = {"PYTHONPATH": self._desk, "TMPDIR": work, "IPYTHONDIR": kernel}
        own = {name: str(path) for name, path in found.items()}
        # No package is installed while code is graded, and pip does not wait for any.
        own |= {"PYTHONDONTWRITEBYTECODE": "1", "PIP_NO_INDEX": "1"}
        launcher = "-m ipykernel_launcher -f {connection_file}"
        command = [sys.executable, *launcher.split()]
        if not no_wall():
            self.km.transport = "ipc"
            own |= {"HOME": str(kernel), "USER": "student"}
            own["JPY_PARENT_PID"] = "1"  # of its own processes, bubblewrap is the first
            command = [*walled([self._desk], [work, kernel], own), *command]
        self.km.kernel_spec.argv = command
        super().start_new_kernel(env=os.environ | own, **settings)

    def create_kernel_manager(self) -> Any:
        """Let the kernel find what it is told behind the wall."""
        manager = super().create_kernel_manager()
        manager.connection_file = str(self._desk / "kernel" / "connection.json")
        return manager

    def start_new_kernel_client(self) -> Any:
        """Connect to the kernel, and load what answers need before a cell is timed.

        What goes wrong here is no student's fault.
        """
        client = super().start_new_kernel_client()
        for code in self._given:
            reply = self.wait_for_reply(self.kc.execute(code, silent=True))
            if reply["content"]["status"] != "ok":
                raise RuntimeError(f"Grading stopped: {reply['content']}")
        return client

    def _get_timeout(self, cell: NotebookNode | None) -> Any:
        return _STARTING if cell is None else super()._get_timeout(cell)

    async def _async_poll_output_msg(self, *about: Any) -> None:
        self._listening = asyncio.ensure_future(super()._async_poll_output_msg(*about))
        await self._listening

    def process_message(self, msg: Any, cell: NotebookNode, cell_index: int) -> Any:
        """Take what a cell shows, up to the limit."""
        content = msg["content"]
        parts = (content.get(key, "") for key in ("text", "data", "traceback"))
        self._printed += sum(len(str(part)) for part in parts)
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


def _number(check: NotebookNode) -> str:
    """The number of the exercise that a check belongs to."""
    name: str = check.metadata.nbgrader.grade_id
    return name.removeprefix("check-").replace("-", ".")


def _given(notebook: NotebookNode) -> Iterator[str]:
    """The code that tries answers, and what the assignment brings along."""
    yield "__import__('desk.answer')"
    for cell in notebook.cells:
        if is_grade(cell) and checked(cell):
            yield f"__import__('lib.exercises.{record(_number(cell)).chapter}')"
        elif is_locked(cell) and cell.cell_type == "code":
            yield cell.source


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
