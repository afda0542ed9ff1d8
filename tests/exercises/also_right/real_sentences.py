"""Right answers to the exercises of chapter 16, written in another way."""

from lib.corpora import references

ANSWERS = {"collect": [references]}
