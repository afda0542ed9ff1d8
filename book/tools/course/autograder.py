"""How nbgrader runs what was handed in: each cell within bounds, `lib` as it ships.

nbgrader's own executor gives up a notebook whose kernel dies or cannot be interrupted.
This one stops the cell, gives it a sentence, starts a fresh kernel, runs the answers
before it again, and goes on: a cell that never ends costs its own marks alone.
"""

import asyncio
import copy
import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbformat import NotebookNode
from nbformat.v4 import new_output
from nbgrader.preprocessors import Execute, OverwriteCells
from nbgrader.utils import is_grade
from traitlets import Integer, Unicode

from book.tools.project.address import ROOT

_STARTING = 300  # seconds to start and to load PyTorch, also on a busy machine
_PRELUDE = """
from book.tools.course import fence as _fence, shipped as _shipped
_shipped.keep({chapters})
_fence.put_up({folder!r}, {course!r})
del _fence, _shipped
"""
_RESTORE = (
    "__import__('importlib').import_module('book.tools.course.shipped').restore()"
)


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
        return nb, resources


class Grade(Execute):  # type: ignore[misc]
    """Runs a notebook in a scratch copy of its folder, cell by cell, within bounds."""

    characters = Integer(100_000, help="what one cell may print").tag(config=True)
    course = Unicode("", help="the course's folder, not to be read").tag(config=True)

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
        text = "\n".join(cell.source for cell in nb.cells if is_grade(cell))
        found = re.findall(r"from lib\.checks import chapter_(\d+) as check", text)
        self._chapters = sorted({int(number) for number in found})
        self._stopped: set[int] = set()
        self._printed = 0
        about = resources["metadata"]
        handed_in = about["path"]
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
            about["path"] = str(Path(scratch) / "work")
            shutil.copytree(handed_in, about["path"])
            try:
                nb, resources = super().preprocess(nb, resources)
            finally:
                about["path"] = handed_in
        return nb, resources

    def preprocess_cell(
        self, cell: NotebookNode, resources: Any, index: int
    ) -> tuple[NotebookNode, Any]:
        """Run one cell; one that has to be stopped gets a sentence for its output."""
        self._printed = 0
        try:
            if is_grade(cell):
                self._quietly(_RESTORE)
            cell, resources = super().preprocess_cell(cell, resources, index)
        except (CellTimeoutError, DeadKernelError) as error:
            self._stopped.add(index)
            cell.outputs = [*cell.get("outputs", []), self._sentence(error)]
            self._start_again(index)
        return cell, resources

    def _sentence(self, error: Exception) -> NotebookNode:
        if self._printed > self.characters:
            why = f"it printed more than {self.characters:,} characters."
        elif isinstance(error, CellTimeoutError):
            why = f"it had not ended after {self.timeout} seconds."
        else:
            why = "it ended the program that ran it."
        told = f"This cell was stopped: {why}"
        return new_output("error", ename="Stopped", evalue=told, traceback=[told])

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
        """Start a kernel that finds `lib` and this package, and leaves no caches."""
        found = {
            "PYTHONPATH": str(ROOT),
            "PYTHONDONTWRITEBYTECODE": "1",
            "TMPDIR": self.resources["metadata"]["path"],
        }
        super().start_new_kernel(env=os.environ | found, **settings)

    def start_new_kernel_client(self) -> Any:
        """Connect to the kernel, keep `lib` as it is, and put up the fence."""
        client = super().start_new_kernel_client()
        folder = self.resources["metadata"]["path"]
        told = {"chapters": self._chapters, "folder": folder, "course": self.course}
        self._quietly(_PRELUDE.format(**told))
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
        if shows and self._printed > self.characters:
            return None
        return super().process_message(msg, cell, cell_index)

    async def _async_check_alive(self) -> None:  # asked once a second
        if self._printed > self.characters:
            raise DeadKernelError("It prints without end.")
        await super()._async_check_alive()

    async def _async_handle_timeout(self, timeout: int, cell: Any = None) -> None:
        raise CellTimeoutError(f"It did not end in {timeout} seconds.")
