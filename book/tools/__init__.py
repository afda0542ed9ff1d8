"""What builds, checks and measures the book; a folder for each part of the house."""
