"""Compares outputs of a plate of rings with Pillow's Lanczos filter, by file format and size."""
