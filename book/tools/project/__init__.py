"""What sets the project up and carries its address."""
