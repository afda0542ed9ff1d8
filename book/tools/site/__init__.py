"""What turns the notebooks and pages into the site."""
