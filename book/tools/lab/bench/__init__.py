"""The benchmark: the book's Transformer beside others, in one run, on one machine.

`models` holds who runs, `timing` how they take turns, `sections` what is measured,
and `command` what `make bench` calls.
"""
