"""`make compare`: compares facecrop with other tools that make a small image from a large one. See
Benchmarks/README.md."""
