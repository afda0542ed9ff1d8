"""Right and wrong answers to the exercises, one file a chapter.

Each names `RIGHT`, pairs of a check and an answer that it praises, and `WRONG`,
triples of a check, an answer and words of the sentence that names the mistake; `STUBS`,
where a check takes no function, pairs of it and what is no answer yet.
"""
