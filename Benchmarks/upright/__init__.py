"""Measures --upright auto on images that are turned by quarter turns."""
