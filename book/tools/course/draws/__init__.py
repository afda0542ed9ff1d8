"""What the hidden checks try answers on: one file a chapter, one function an exercise.

Each draws anew whenever it is called and yields what to look at, mostly a call.
"""
