"""The exercises: one record for each, one module of records for each chapter.

A chapter imports its own with `from lib.exercises import attention as check` and ends
each exercise cell in a call such as `check.softmax(softmax)`. Where a course is graded,
`strict()` comes first: then a missing answer fails.

A record says what an answer is tried on, what is right, and which slips are known, each
a wrong function with the sentence that names it; `record` tells how one is written.
What the records share: an answer is tried on each `Case` of `cases` by a `Trial`, and
what it gives is an `Outcome`. `compare` tells equal from different, `guard` calls the
learner's code, `forms` are what several ask for, and `calls` refuses what an exercise
forbids. `suspects` are the models that exercise 4.5 asks about.
"""

from lib.exercises.guard import CheckFailed
from lib.exercises.record import strict

__all__ = ["CheckFailed", "strict"]
