"""Compares outputs of templates with the published programs."""
