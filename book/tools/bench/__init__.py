"""The benchmark: the book's Transformer beside others, in one run, on one machine.

`models` and `batches` hold who runs on what, `training` and `writing` who takes turns
with whom, `sections` lists what is measured, `table` writes it as Markdown.
"""
