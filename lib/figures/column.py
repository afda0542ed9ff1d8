"""A stack of boxes with arrows between them: the layers of a model, bottom to top."""

from __future__ import annotations

from lib.figures.sketch import Box, Point, Sketch


class Column:
    """A stack of boxes that grows upwards, with an arrow between each two.

    Args:
        sketch: the sheet to draw on.
        place: the middle of the column and its lower end, in inches.
        width: of a box, in inches.
        height: of a box with one line of text.
        gap: between two boxes.
        shape: what is written on the arrows.
        label: the side of the labels, "left" or "right"; residual connections run
            on the other one.
    """

    def __init__(
        self,
        sketch: Sketch,
        place: Point,
        width: float,
        height: float,
        gap: float,
        shape: str = "",
        label: str = "right",
    ) -> None:
        self.sketch, self.x, self.top = sketch, place[0], place
        self.width, self.height, self.gap = width, height, gap
        self.shape, self.label = shape, label
        self.outward = 1 if label == "left" else -1  # where no labels stand

    def start(self, text: str, room: float = 0.13) -> None:
        """Write what goes in at the bottom."""
        self.sketch.text(self.top, text)
        self.top = (self.x, self.top[1] + room)

    def box(
        self,
        text: str,
        kind: str,
        shape: str = "",
        gap: float | None = None,
        line: float = 1.1,
    ) -> Box:
        """Add a box on top, with an arrow from what stands below."""
        gap = self.gap if gap is None else gap
        height = self.height + 0.2 * text.count("\n")
        y = self.top[1] + gap + height / 2
        box = self.sketch.box(self.x, y, text, kind, self.width, height, line)
        if gap:
            self.arrow(box.bottom, shape)
        self.top = box.top
        return box

    def plus(self) -> Box:
        """Add a plus sign on top, where two arrows meet."""
        joint = self.sketch.plus(self.x, self.top[1] + self.gap + 0.13)
        self.arrow(joint.bottom)
        self.top = joint.top
        return joint

    def arrow(self, end: Point, shape: str = "") -> None:
        """Lead an arrow from the top of the column to a point."""
        self.sketch.arrow(self.top, end, shape or self.shape, self.label)

    def around(self, branch: float, joint: Box, room: float, line: float = 1.2) -> None:
        """Lead a connection from the height where it branches off around to a joint."""
        side = self.x + self.outward * room
        end = joint.right if self.outward > 0 else joint.left
        corners = [(self.x, branch), (side, branch), (side, end[1]), end]
        self.sketch.path(corners, line=line)

    def end(self, text: str, shape: str = "") -> None:
        """Lead an arrow out at the top, to what comes out."""
        self.arrow((self.x, self.top[1] + self.gap), shape)
        self.sketch.text((self.x, self.top[1] + self.gap + 0.13), text)
