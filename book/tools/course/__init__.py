"""A course out of the book: what `make course` writes, and how it is graded.

`exercises` reads the chapters, `context` finds the code that an exercise leans on, and
`plan` the course's table of contents. `editions` and `assignments` write notebooks.
`autograder` is nbgrader's way to run them; in its kernel stand `fence`, `shipped` and
`hidden`, which draws other inputs from the records of `lib.exercises`.
"""
