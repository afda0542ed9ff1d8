"""The checks behind the exercises: one module per chapter, `core` for what they share.

A chapter imports its own checks with `from lib.checks import chapter_03 as check`
and ends each exercise cell in a call such as `check.softmax(softmax)`.
"""

from lib.checks.core import CheckFailed

__all__ = ["CheckFailed"]
