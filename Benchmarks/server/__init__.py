"""Compares the server with thumbor: `make compare-server`."""
