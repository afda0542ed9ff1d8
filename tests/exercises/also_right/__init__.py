"""Right answers written in another way than the book's, one module for each chapter.

Each module has a dictionary `ANSWERS`, from an exercise's name to such answers.
"""
