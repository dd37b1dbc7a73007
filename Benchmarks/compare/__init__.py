"""`make compare`: facecrop beside what else makes a small picture of a large one. See Benchmarks/README.md."""
