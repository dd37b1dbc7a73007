"""Pictures for demo, tests and measurements: made here, from the portrait in the repository."""
