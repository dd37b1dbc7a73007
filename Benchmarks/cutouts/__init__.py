"""Compares cut-outs with those of other networks."""
