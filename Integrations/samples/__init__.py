"""Images for demo, tests and measurements, made from the portrait in the repository."""
