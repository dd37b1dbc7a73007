"""Makes small images, each different, and bad files of every kind."""

import io
import pathlib
import random
import shutil
import tarfile
from typing import Any

from PIL import Image

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
PORTRAIT = REPOSITORY / "Tests/Fixtures/astronaut.jpg"
# Hostile and unreadable files, named after their fault; `ok` files are valid.
_BAD = REPOSITORY / "Tests/Fixtures/bad.tar.xz"


def encoded(image: Image.Image, image_format: str = "PNG", **options: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, image_format, **options)
    return file.getvalue()


def opened(file: bytes | pathlib.Path) -> Image.Image:
    return Image.open(io.BytesIO(file) if isinstance(file, bytes) else file)


def wall(mode: str = "RGB") -> bytes:
    """Returns an image of 200 × 100 pixels without a face."""
    return encoded(Image.new(mode, (200, 100), 200))


def portraits(size: tuple[int, int], *places: tuple[int, int, int], color: str = "black") -> Image.Image:
    """Returns an image with the portrait at some places: its side, left, and top."""
    made = Image.new("RGB", size, color)
    with Image.open(PORTRAIT) as one:
        for side, x, y in places:
            made.paste(one.resize((side, side)), (x, y))
    return made


def copies(folder: pathlib.Path, *names: str) -> list[pathlib.Path]:
    """Copies the portrait to names below a folder."""
    made = [folder / name for name in names]
    for path in made:
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(PORTRAIT, path)
    return made


def draw(folder: pathlib.Path, count: int, sides: tuple[int, int] = (48, 104), seed: int = 1) -> list[pathlib.Path]:
    """Draws sections of the portrait, some with a face and some without, in up to a hundred folders."""
    lots = random.Random(seed)
    with Image.open(PORTRAIT) as file:
        portrait = file.convert("RGB")
    made = []
    for number in range(count):
        side = lots.randint(*sides)
        x, y, extent = lots.randrange(180), lots.randrange(100), lots.randrange(220, 330)
        path = folder / f"{number % 100:02}" / f"{number:06}.jpg"
        path.parent.mkdir(parents=True, exist_ok=True)
        section = portrait.crop((x, y, x + extent, y + extent)).resize((side, side), Image.Resampling.BILINEAR)
        section.save(path, quality=85, comment=str(number))
        made.append(path)
    return made


def poison(folder: pathlib.Path, count: int) -> list[pathlib.Path]:
    """Makes files that cannot be cropped: the repository's damaged files, an empty file, a text, a folder, a broken
    link, and a missing file."""
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(_BAD) as archive:
        members = sorted(archive.getmembers(), key=lambda member: member.name)
        bad = [(member.name, archive.extractfile(member).read()) for member in members if ".ok." not in member.name]
    made = []
    for number in range(count):
        kind = number % 8
        path = folder / f"{number:05}.jpg"
        if kind == 0:
            path.touch()
        elif kind == 1:
            path.write_text("This is no picture.\n" * 20)
        elif kind == 2:
            path.mkdir()
        elif kind == 3:
            path.symlink_to("nowhere.jpg")
        elif kind == 4:
            path = folder / f"{number:05}-missing.jpg"
        else:
            name, contents = bad[number % len(bad)]
            path = folder / f"{number:05}-{name}"
            path.write_bytes(contents)
        made.append(path)
    return made
