"""A course out of the book: what `make course` writes, and how it is graded.

`exercises` reads the chapters, `context` finds the code that an exercise leans on, and
`plan` the course's table of contents. `editions` and `assignments` write notebooks.
`autograder` is nbgrader's way to run them: an answer is tried in a kernel that has what
lies on its `desk`, with the exercises that `inputs` leaves of `lib.exercises`; `hidden`
draws the values and judges what comes back. `handed_in` finds the notebook that counts,
`marking` keeps what cannot be graded from being a zero, `reports` is for the teacher. A
`wall` stands around the kernel, where the system lets one be built.
"""
