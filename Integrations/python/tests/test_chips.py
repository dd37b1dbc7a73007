"""Aligns faces to templates with the real command."""

import importlib
import json
import pathlib
import subprocess
import tarfile
from collections.abc import Iterable, Iterator
from typing import Any

import numpy
import pytest
from PIL import Image

import facecrop as package
from facecrop import Cropper, NoFaceError, PictureError, Result, WorkerError
from samples.fixtures import files
from samples.pictures import PORTRAIT, copies, encoded, opened, portraits, wall

SIZES = {"arcface-112": 112, "dlib-150": 150, "ffhq-1024": 1024}


@pytest.mark.parametrize("template", SIZES)
def test_arrays_are_the_commands_pixels(facecrop: str, cropper: Cropper, tmp_path: pathlib.Path, template: str) -> None:
    subprocess.run([facecrop, "crop", PORTRAIT, "-o", tmp_path / "a.png", "--template", template], check=True)
    for picture in (PORTRAIT, PORTRAIT.read_bytes()):
        found = cropper.chips(picture, template=template)
        assert found.shape == (1, SIZES[template], SIZES[template], 3)
        assert found.dtype == numpy.uint8
        assert (found[0] == numpy.asarray(Image.open(tmp_path / "a-1.png").convert("RGB"))).all()


def test_many_images_keep_their_order(cropper: Cropper) -> None:
    found = list(cropper.chips(iter([PORTRAIT, wall(), PORTRAIT, wall("L"), PORTRAIT]), min_face=20))
    assert [len(faces) for faces in found] == [1, 0, 1, 0, 1]
    assert found[1].shape == (0, 112, 112, 3)
    assert (found[0] == found[4]).all()
    # A reader that stops early leaves the cropper usable.
    assert len(next(iter(cropper.chips([PORTRAIT] * 20)))) == 1
    with pytest.raises(PictureError):
        list(cropper.chips([PORTRAIT, b"no image"]))
    for paths in (numpy.array([str(PORTRAIT)] * 2), numpy.array([PORTRAIT] * 2, object)):
        assert [len(array) for array in cropper.chips(paths)] == [1, 1]


@pytest.mark.parametrize("mode", ["L", "RGBA"])
def test_gray_and_transparent_images_are_rgb(cropper: Cropper, mode: str) -> None:
    picture = encoded(Image.open(PORTRAIT).convert(mode))
    (face,) = cropper.chips(picture, template="dlib-150")
    assert face.shape == (150, 150, 3)
    assert (face[..., 0] == face[..., 2]).all() == (mode == "L")


def test_templates_of_ones_own(cropper: Cropper, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    points = [[30, 52], [66, 52], [48, 72], [34, 92], [63, 92]]
    (tmp_path / "mine.json").write_text(json.dumps({"name": "mine", "size": [96, 112], "points": points}))
    assert cropper.chips(PORTRAIT).shape == (1, 112, 112, 3)
    # The worker was started in another folder.
    monkeypatch.chdir(tmp_path)
    assert cropper.chips(PORTRAIT, template="mine.json").shape == (1, 112, 96, 3)
    assert cropper.chips(wall(), template="mine.json").shape == (0, 112, 96, 3)


def unpacked(paths: Iterable[str]) -> dict[str, bytes]:
    """Returns the members of tar files by name."""
    found = {}
    for path in paths:
        with tarfile.open(path) as tar:
            found |= {member.name: tar.extractfile(member).read() for member in tar}  # type: ignore[union-attr]
    return found


def test_shards_have_images_descriptions_and_labels(tmp_path: pathlib.Path) -> None:
    paths = copies(tmp_path / "photos", "ben/0.jpg", "anna/1.jpg", "ben/2.jpg", "ben/wall.png")
    paths[-1].write_bytes(wall())
    pattern = str(tmp_path / "shards/train-{shard:03}.tar")
    made = package.webdataset(paths, pattern, template="arcface-112", shard_size=2)
    assert (made.samples, made.classes, len(made.others)) == (3, ("anna", "ben"), 1)
    assert [pathlib.Path(path).name for path in made.paths] == ["train-000.tar", "train-001.tar"]
    assert sorted(files(tmp_path / "shards")) == ["train-000.tar", "train-001.tar"]
    members = unpacked(made.paths)
    keys = sorted({name.partition(".")[0] for name in members})
    assert len(keys) == 3
    assert len(members) == 9
    assert [members[f"{key}.cls"] for key in keys] == [b"1", b"0", b"1"]
    description = json.loads(members[f"{keys[0]}.json"])
    assert description["label"] == "ben"
    assert len(description["landmarks"]) == 5
    assert len(description["matrix"]) == 6
    assert opened(members[f"{keys[0]}.png"]).size == (112, 112)


def test_results_name_the_rotation(cropper: Cropper, tmp_path: pathlib.Path) -> None:
    # Wider than high, so that the sides show which image a matrix belongs to.
    portrait = portraits((512, 700), (512, 0, 100), color="gray")
    portrait.transpose(Image.Transpose.ROTATE_90).save(side := tmp_path / "side.png")
    turned = cropper.detect(side, upright="auto")
    assert (turned.rotation, turned.width, turned.height) == (90, 512, 700)
    assert cropper.detect(side).rotation == 0
    made = package.batch([side, PORTRAIT], tmp_path / "out", template="arcface-112", upright="auto")
    plain, result = sorted(made, key=lambda result: result.rotation)
    (crop,) = result.crops
    assert (result.input, result.rotation, crop.rotation) == (str(side), 90, 90)
    assert plain.rotation == plain.crops[0].rotation == 0
    # The matrix maps the rotated image, as the documents say.
    matrix = numpy.array(crop.matrix).reshape(2, 3)
    for (x, y), found in zip(crop.face.landmarks, crop.landmarks, strict=True):
        place = matrix @ (x * turned.width - 0.5, y * turned.height - 0.5, 1) + 0.5
        assert abs(place - numpy.array(found)).max() < 0.02
    members = unpacked(package.webdataset([side, PORTRAIT], tmp_path / "{shard}.tar", upright="auto").paths)
    assert {json.loads(data)["rotation"] for name, data in members.items() if name.endswith("json")} == {0, 90}


@pytest.mark.parametrize(
    ("option", "value"), [("size", 64), ("preset", "avatar"), ("align", True), ("fill", "16:9"), ("upscale", True)]
)
def test_messages_name_no_default_of_the_function(cropper: Cropper, option: str, value: Any) -> None:
    words = f"^{option} has no effect, because chips aligns each face to a template \\(leave it out\\)$"
    with pytest.raises(ValueError, match=words):
        cropper.chips(PORTRAIT, **{option: value})
    with pytest.raises(ValueError, match=f"leave out {option} or template"):
        cropper.chips(PORTRAIT, template="dlib-150", **{option: value})
    with pytest.raises(ValueError, match=f"^{option} has no effect, because webdataset aligns"):
        package.webdataset([PORTRAIT], "{shard}.tar", **{option: value})


def test_shards_stay_until_a_new_set_is_complete(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    photos, shards = tmp_path / "photos", tmp_path / "shards"
    *paths, faceless = copies(photos, "0.jpg", "1.jpg", "2.jpg", "wall.png")
    faceless.write_bytes(wall())
    shards.mkdir()
    # The pattern names no such file.
    (shards / "t-extra.tar").write_bytes(b"mine")
    pattern = shards / "t-{shard:02}.tar"
    package.webdataset(paths[:2], pattern, shard_size=1)
    (shards / "t-01.tar").write_bytes(b"mine")
    before = files(shards)
    assert sorted(before) == ["t-00.tar", "t-01.tar", "t-extra.tar"]

    with pytest.raises(FileExistsError, match=r"t-00\.tar exists"):
        package.webdataset(paths[:1], pattern)
    # Neither a list of letters nor images without a face nor missing ones replace a set by nothing.
    with pytest.raises(TypeError, match=r"pass \[path\]"):
        package.webdataset(str(paths[0]), pattern, overwrite=True)
    for inputs in ([], [faceless], [photos / "missing.jpg"]):
        made = package.webdataset(inputs, pattern, overwrite=True)
        assert (made.paths, made.samples, len(made.others)) == ((), 0, len(inputs))
        assert files(shards) == before

    # Nor does a run that ends after its first shard.
    module = importlib.import_module("facecrop.webdataset")

    def failing(*arguments: Any, **options: Any) -> Iterator[Result]:
        yield from list(package.batch(*arguments, **options))[:2]
        raise WorkerError("the end")

    with monkeypatch.context() as patch:
        patch.setattr(module, "batch", failing)
        with pytest.raises(WorkerError, match="the end"):
            package.webdataset(paths[1:], pattern, shard_size=1, overwrite=True)
    assert files(shards) == before

    made = package.webdataset(paths[2:], pattern, overwrite=True)
    assert [pathlib.Path(path).name for path in made.paths] == ["t-00.tar"]
    after = files(shards)
    assert sorted(after) == ["t-00.tar", "t-extra.tar"]
    assert (after["t-00.tar"] != before["t-00.tar"], after["t-extra.tar"]) == (True, b"mine")


def test_an_image_without_a_face_fails_on_request(cropper: Cropper, tmp_path: pathlib.Path) -> None:
    (tmp_path / "wall.png").write_bytes(wall())
    with pytest.raises(NoFaceError, match=r"wall\.png: no face was found"):
        cropper.chips(tmp_path / "wall.png", no_face="fail")
    arrays = cropper.chips([PORTRAIT, wall(), PORTRAIT], no_face="fail")
    assert len(next(arrays)) == 1
    with pytest.raises(NoFaceError, match="no face was found"):
        next(arrays)
    assert cropper.chips(PORTRAIT, no_face="fail").shape == (1, 112, 112, 3)


@pytest.mark.parametrize(
    "wanted",
    [
        *({"format": "bmp"}, {"format": "png"}, {"quality": 3}, {"speed": 3}, {"max_bytes": 10**6}, {"dpi": 72}),
        *({"subsampling": "444"}, {"progressive": True}, {"lossless": True}, {"metadata": "strip"}),
        *({"gain_map": "keep"}, {"accept": "image/webp"}, {"matte": "336699"}),
    ],
)
def test_options_of_files_are_none_of_arrays(wanted: dict[str, Any]) -> None:
    (name,) = wanted
    for pictures_ in (PORTRAIT, [PORTRAIT]):
        with pytest.raises(ValueError, match=rf"^{name} has no effect on arrays \(leave it out\)$"):
            package.chips(pictures_, **wanted)


def test_the_order_of_faces(cropper: Cropper) -> None:
    # The smaller copy on the left has the lower score, or the other order would show nothing.
    both = encoded(portraits((900, 512), (200, 0, 100), (512, 388, 0)))
    found = cropper.detect(both).faces
    assert [face.box.x > 0.4 for face in found] == [True, False]
    by_place = cropper.chips(both)
    by_score = cropper.chips(both, order="confidence")
    assert (by_place[::-1] == by_score).all()
    assert not (by_place == by_score).all()
