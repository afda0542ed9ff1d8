"""What lies on the desk of a student's code while it is graded.

A kernel that grades finds this package as `desk`, beside a copy of `lib` whose
exercises have their inputs and nothing that knows what is right: `record` stands there
in the place of `lib.exercises.record`, `values` turns what an answer gives into text,
and `answer` hands it in.
"""
