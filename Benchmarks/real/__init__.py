"""Measures avatars of real images with library, command and batch, compared with full decodes."""
