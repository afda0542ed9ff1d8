"""The checks behind the exercises: one module per chapter, `core` for what they share.

A chapter imports its own checks with `from lib.checks import chapter_03 as check`
and ends each exercise cell in a call such as `check.softmax(softmax)`. Where a course
is graded, `strict()` comes first: then a missing answer fails.
"""

from lib.checks.core import strict
from lib.checks.guard import CheckFailed

__all__ = ["CheckFailed", "strict"]
