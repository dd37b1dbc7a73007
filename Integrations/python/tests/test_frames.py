"""Crops all frames of animations, or their best one, and pages of TIFF files, with the real command."""

import pathlib
import subprocess

import pytest
from PIL import Image, ImageEnhance, ImageSequence

import facecrop as package
from facecrop import Cropper, PictureError
from samples.pictures import PORTRAIT, encoded, opened

DELAYS = [50, 70, 90, 110]


def wave(image_format: str = "GIF") -> bytes:
    """Returns four frames of the portrait, each one darker. libwebp would join equal ones."""
    portrait = Image.open(PORTRAIT).convert("RGB").resize((200, 200))
    frames = [ImageEnhance.Brightness(portrait).enhance(1 - 0.1 * index) for index in range(len(DELAYS))]
    return encoded(frames[0], image_format, save_all=True, append_images=frames[1:], duration=DELAYS, loop=0)


def delays(file: bytes | pathlib.Path) -> list[int]:
    return [round(frame.info.get("duration", 0)) for frame in ImageSequence.all_frames(opened(file))]


@pytest.mark.filterwarnings("ignore::facecrop.PictureWarning")
def test_a_cropper_keeps_all_frames(facecrop: str, tmp_path: pathlib.Path) -> None:
    (tmp_path / "wave.gif").write_bytes(wave())
    arguments = ["--animation", "keep", "--size", "96", "-o"]
    for name in ("a.gif", "a.webp"):
        subprocess.run([facecrop, "avatar", tmp_path / "wave.gif", *arguments, tmp_path / name], check=True)
    with Cropper(facecrop=facecrop) as cropper:
        made = cropper.avatar(wave(), animation="keep", size=96)
        assert made == (tmp_path / "a.gif").read_bytes()
        assert delays(made) == DELAYS
        made = cropper.avatar(tmp_path / "wave.gif", animation="keep", size=96, format="webp")
        assert made == (tmp_path / "a.webp").read_bytes()
        assert len(delays(cropper.crop(wave("PNG"), animation="keep", format="webp"))) == 4
        for animation in ("first", "best"):
            assert len(delays(cropper.crop(wave(), animation=animation, format="png"))) == 1
        with pytest.raises(PictureError, match="no animated JPEG"):
            cropper.crop(wave(), animation="keep", format="jpeg")


def test_a_batch_keeps_gif(tmp_path: pathlib.Path) -> None:
    for name, image_format in (("a.gif", "GIF"), ("b.webp", "WEBP")):
        (tmp_path / name).write_bytes(wave(image_format))
        wanted = {"animation": "keep", "preset": "avatar", "size": 64}
        (result,) = package.batch([tmp_path / name], tmp_path / "out", **wanted)  # type: ignore[arg-type]
        assert result.status == "cropped"
        assert delays(tmp_path / "out" / name) == DELAYS
    list(package.batch([tmp_path / "a.gif"], tmp_path / "first", size=64))
    assert [path.name for path in (tmp_path / "first").iterdir()] == ["a.jpg"]


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
