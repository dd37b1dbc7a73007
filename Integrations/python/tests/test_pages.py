"""Reads pages of TIFF files, with the real command."""

import pathlib

import pytest
from PIL import Image

import facecrop as package
from facecrop import Cropper, PictureError
from samples.pictures import encoded, opened

LEVELS = [10, 90, 200]


def scan() -> bytes:
    """Returns a TIFF with a gray page of each level."""
    pages = [Image.new("L", (64, 64), level) for level in LEVELS]
    return encoded(pages[0], "TIFF", save_all=True, append_images=pages[1:])


def level(file: bytes | pathlib.Path) -> int:
    low, high = opened(file).convert("L").getextrema()
    assert low == high
    return low


@pytest.mark.filterwarnings("ignore::facecrop.PictureWarning")
def test_each_function_reads_a_page(cropper: Cropper, tmp_path: pathlib.Path) -> None:
    for page, wanted in [(1, 10), (3, 200), (2, 90), (1, 10)]:
        assert level(cropper.crop(scan(), page=page, format="png")) == wanted
        assert level(cropper.blur(scan(), page=page, format="png")) == wanted
        assert cropper.detect(scan(), page=page).faces == ()
    assert level(cropper.crop(scan(), format="png")) == 10
    with pytest.raises(PictureError, match="no page 4, but 3"):
        cropper.crop(scan(), page=4)
    with pytest.raises(ValueError, match="page"):
        cropper.crop(scan(), page=0)


def test_a_batch_reads_a_page(tmp_path: pathlib.Path) -> None:
    (tmp_path / "scan.tif").write_bytes(scan())
    for page, wanted in [(3, 200), (2, 90)]:
        out = tmp_path / f"page {page}"
        made = package.batch([tmp_path / "scan.tif"], out, page=page, no_face="whole", format="png")
        assert [result.status for result in made] == ["no-face"]
        assert level(out / "scan.png") == wanted
