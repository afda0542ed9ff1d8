"""The checks behind the exercises: one module for each chapter.

A chapter imports its own checks with `from lib.checks import chapter_03 as check`
and ends each exercise cell in a call such as `check.softmax(softmax)`. Where a course
is graded, `strict()` comes first: then a missing answer fails.

What they share: `core` runs a check and says how it ended, `guard` calls the learner's
code, `expect` compares, and `calls` refuses what an exercise forbids.
"""

from lib.exercises import CheckFailed, strict

__all__ = ["CheckFailed", "strict"]
