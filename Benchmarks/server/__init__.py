"""The server beside thumbor: `make compare-server`."""
