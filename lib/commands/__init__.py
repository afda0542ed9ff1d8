"""What the command line can do, one file a command."""

from lib.commands import evaluate, train, translate

__all__ = ["evaluate", "train", "translate"]
