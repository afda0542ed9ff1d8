"""What the command line can do, one file a command."""

from lib.commands import evaluate, examine, export, train, translate, write

__all__ = ["evaluate", "examine", "export", "train", "translate", "write"]
