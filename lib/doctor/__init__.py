"""The doctor: take a class as it comes, and tell what is wrong with it."""

from lib.doctor.examining import examine

__all__ = ["examine"]
