"""What measures and ships: run by hand."""
