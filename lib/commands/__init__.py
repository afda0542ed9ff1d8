"""What the command line can do, one file a command."""

from lib.commands import evaluate, export, train, translate, write

__all__ = ["evaluate", "export", "train", "translate", "write"]
