"""Tests the installed package: `try.py PICTURE AVATAR`, where AVATAR is the command's output for PICTURE."""

import pathlib
import sys
import tempfile
import warnings

import facecrop

picture, avatar = map(pathlib.Path, sys.argv[1:])
data = picture.read_bytes()
assert facecrop.avatar(data) == avatar.read_bytes()
for format_ in ("webp", "png", "avif", "tiff"):
    # Writes each format, and reads it again.
    assert len(facecrop.detect(facecrop.crop(data, padding=1, format=format_)).faces) == 1, format_
assert len(facecrop.detect(data, detector="haar").faces) == 1
# Most of these images have no face.
warnings.simplefilter("ignore", facecrop.PictureWarning)
for path in picture.parent.glob("*.ok.*"):
    # GIF, HEIC, JPEG XL and RAW, which are only read.
    assert facecrop.crop(path, no_face="whole"), path
with tempfile.TemporaryDirectory() as folder:
    (result,) = facecrop.batch([picture], folder, preset="avatar")
    assert pathlib.Path(result.outputs[0].path).read_bytes() == avatar.read_bytes()
