"""Compares five landmarks with those of MediaPipe."""
