"""Compares hidden faces with those of deface, and searches for them again."""
