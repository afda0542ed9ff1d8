"""What runs the notebooks, stores them in one form, and tries them elsewhere."""
