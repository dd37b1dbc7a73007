"""Compares `batch` with the command's own results."""

import itertools
import pathlib
import re
from typing import Any

import pytest
from PIL import Image

from facecrop import Result, batch, naming, options
from samples import pictures
from samples.fixtures import command_batch, fate, files


def test_the_outputs_are_those_of_the_command(tmp_path: pathlib.Path) -> None:
    source, ours, theirs = tmp_path / "in", tmp_path / "ours", tmp_path / "theirs"
    inputs = pictures.draw(source, 60) + pictures.poison(source / "poison", 16)
    Image.new("RGB", (200, 100)).save(wall := source / "wall.png")
    inputs.append(wall)
    found = list(batch(inputs, ours, base=source, preset="avatar", size=[64, 32], no_face="skip"))
    assert sorted(result.input for result in found) == sorted(map(str, inputs))
    recorded = command_batch(source, theirs, ["--preset=avatar", "--size=64,32", "--no-face=skip"], inputs)
    assert files(ours) == files(theirs)
    for result in found:
        entry = recorded[result.input]
        assert result.status == entry["status"], result
        # A run could read a folder's files, but a worker cannot; so they use different reasons.
        kind = entry.get("reason", {}).get("kind")
        assert (result.reason and result.reason.kind) == ("unreadable" if kind == "folder" else kind)
        assert [output.sha256 for output in result.outputs] == [output["sha256"] for output in entry.get("outputs", [])]
        assert all(pathlib.Path(output.path).stat().st_size == output.bytes for output in result.outputs)
    assert {result.status for result in found} == {"cropped", "no-face", "failed"}
    cropped = next(result for result in found if result.status == "cropped")
    assert len(cropped.faces) >= 1
    assert len(cropped.regions) == 1
    assert [output.width for output in cropped.outputs][-1] <= 32


def test_an_image_without_a_face_has_no_output(tmp_path: pathlib.Path) -> None:
    Image.new("RGB", (200, 100)).save(wall := tmp_path / "wall.png")
    for none in ({}, {"no_face": None}):
        (result,) = batch([wall], tmp_path / "out", preset="avatar", **none)  # type: ignore[typeddict-item]
        assert (result.status, result.outputs) == ("no-face", ())
        assert not any((tmp_path / "out").iterdir())
    (centered,) = batch([wall], tmp_path / "out", preset="avatar", no_face="center")
    assert len(centered.outputs) == 1


def test_a_crop_is_of_the_face_that_the_output_shows(tmp_path: pathlib.Path) -> None:
    # The output shows the larger face, whichever has the higher score.
    two = pictures.portraits((900, 512), (300, 560, 60), (512, 0, 0))
    two.save(path := tmp_path / "two.jpg", quality=95)
    wanted = {"preset": "avatar", "size": [200, 100], "align": True, "upscale": True, "format": "png"}
    (result,) = batch([path], tmp_path / "out", **wanted)  # type: ignore[arg-type]
    assert len(result.faces) == 2
    largest = max(result.faces, key=lambda face: face.box.height)
    assert [crop.output for crop in result.crops] == list(result.outputs)
    for crop in result.crops:
        assert crop.face == largest
        right_eye, left_eye = crop.landmarks[:2]
        side = crop.output.width
        assert abs(right_eye.y - left_eye.y) < side / 50
        assert 0.2 * side < right_eye.x < left_eye.x < 0.8 * side
        # Pupils are darker than the cheeks below them.
        with Image.open(crop.output.path) as picture:
            gray = picture.convert("L")
            eye = gray.getpixel((round(left_eye.x), round(left_eye.y)))
            cheek = gray.getpixel((round(left_eye.x), round(left_eye.y + 0.1 * side)))
        assert eye < cheek
    each = next(iter(batch([path], tmp_path / "each", preset="avatar", faces="each")))
    assert [crop.face for crop in each.crops] == [each.faces[crop["faces"][0]] for crop in each.members["crops"]]


def test_the_extensions_are_those_of_the_library() -> None:
    sources = pictures.REPOSITORY.glob("Sources/FaceCrop/Codecs/**/*.swift")
    lists = [found for path in sources for found in re.findall(r"fileExtensions: \[(\".*?)\]", path.read_text())]
    assert len(lists) >= 6
    assert set(re.findall(r"\w+", ",".join(lists))) <= set(naming.READ)


@pytest.mark.parametrize("image_format", ["jpeg", "jpg", "png", "webp", "avif", "tiff", None])
@pytest.mark.parametrize("name", ["a.jpg", "b.JPEG", "c.png", "d.webp", "e.tar.jpg", "f", ".g.jpg", "h.heic"])
def test_names_are_the_commands(tmp_path: pathlib.Path, name: str, image_format: Any) -> None:
    inputs = pictures.copies(tmp_path, name)
    (result,) = batch(inputs, tmp_path / "ours", size=16, format=image_format)
    command_batch(tmp_path, tmp_path / "theirs", ["--size=16", *options.arguments({"format": image_format})], inputs)
    assert result.status == "cropped", result
    assert files(tmp_path / "ours") == files(tmp_path / "theirs")


def test_outputs_have_one_name_each(tmp_path: pathlib.Path) -> None:
    one, two = pictures.draw(tmp_path / "in", 2)
    other = two.with_name(one.name)
    two.rename(other)
    found = list(batch([one, other], tmp_path / "out", size=32))
    refused, cropped = sorted(found, key=lambda result: result.status, reverse=True)
    assert (cropped.input, cropped.status, refused.input) == (str(one), "cropped", str(other))
    assert (fate(refused), "base" in refused.reason.message) == (("failed", "name"), True)
    assert len(files(tmp_path / "out")) == 1
    # The message names what helps: neither another base nor the function itself.
    two = one.with_suffix(".png")
    two.write_bytes(one.read_bytes())
    for output, base, remedy in (
        (tmp_path / "based", one.parent, "a function as output"),
        (lambda _: tmp_path / "equal.webp", None, "a name of its own"),
    ):
        found = list(batch([one, two], output, base=base, size=32, format="webp"))
        (refused,) = [result for result in found if result.status == "failed"]
        message = refused.reason.message
        assert (refused.input, remedy in message, "pass base" in message) == (str(two), True, False)
    # Named by the caller.
    found = list(batch([one, other], lambda path: tmp_path / f"named/{pathlib.Path(path).parent.name}.webp", size=32))
    assert sorted(files(tmp_path / "named")) == ["00.webp", "01.webp"]
    assert all(result.status == "cropped" for result in found)


def test_an_image_given_twice_is_named_as_such(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (one,) = pictures.draw(tmp_path / "in", 1)
    monkeypatch.chdir(tmp_path)
    for again in (one, one.relative_to(tmp_path), f"{one.parent}/../{one.parent.name}/{one.name}"):
        found = list(batch([one, str(again)], tmp_path / "out", size=32))
        assert sorted(map(fate, found)) == [("cropped", None), ("failed", "name")]
        (refused,) = [result.reason.message for result in found if result.reason]
        assert (refused[:24], "base" in refused) == ("the image is given twice", False)
    # Refused names are results at once.
    results = batch(itertools.cycle([one]), tmp_path / "out", size=32)
    assert [fate(result) for result in itertools.islice(results, 3)] == [("failed", "name")] * 3
    results.close()


def test_what_cannot_have_an_output(tmp_path: pathlib.Path) -> None:
    (picture,) = pictures.draw(tmp_path / "in", 1)
    (tmp_path / "file").touch()
    (result,) = batch([picture], tmp_path / "file/out")
    assert fate(result) == ("failed", "output")
    (result,) = batch([picture], tmp_path / "out", base=tmp_path / "elsewhere")
    assert fate(result) == ("failed", "name")
    assert picture.read_bytes()
    (result,) = batch([""], tmp_path / "out")
    assert (fate(result), result.reason.message[:30]) == (("failed", "unreadable"), "the name of the image is empty")


def test_inputs_are_taken_as_there_is_room(tmp_path: pathlib.Path) -> None:
    (picture,) = pictures.draw(tmp_path / "in", 1)
    taken = itertools.count(1)
    run = batch((picture for _ in taken), lambda _: tmp_path / f"{taken}.jpg", jobs=2, size=16)
    found = list(itertools.islice(run, 20))
    run.close()  # type: ignore[attr-defined]
    assert len(found) == 20
    assert next(taken) <= 20 + 8 + 1
    assert all(isinstance(result, Result) and result.status == "cropped" for result in found)


def test_a_picture_that_ends_its_process_is_a_result(poisoned_command: str, tmp_path: pathlib.Path) -> None:
    inputs = pictures.draw(tmp_path / "in", 6)
    inputs += pictures.copies(tmp_path / "in", "crash.jpg")
    found = {result.input: fate(result) for result in batch(inputs, tmp_path / "out", facecrop=poisoned_command)}
    assert len(found) == 7
    failed = {path: (status, kind) for path, (status, kind) in found.items() if status == "failed"}
    assert failed == {str(inputs[-1]): ("failed", "crashed")}


def test_relative_paths_are_those_of_the_call(two_folders: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Relative paths do not depend on the folder in which the results are read."""
    found = batch(["a.png"], "out", facecrop="./command", no_face="whole")
    monkeypatch.chdir(two_folders / "two")
    (result,) = found
    assert (result.status, result.input) == ("no-face", "a.png")
    with Image.open(two_folders / "one/out/a.png") as made:
        assert made.size == (40, 40)
    assert not (two_folders / "two/out").exists()


def test_a_retouched_output_is_kept(tmp_path: pathlib.Path) -> None:
    (picture,) = pictures.draw(tmp_path / "in", 1)
    first, same = (result for _ in range(2) for result in batch([picture], tmp_path / "out", size=32))
    assert first.status == same.status == "cropped"
    made = pathlib.Path(first.outputs[0].path)
    made.write_bytes(b"retouched")
    (kept,) = batch([picture], tmp_path / "out", size=32)
    assert fate(kept) == ("failed", "exists")
    assert kept.reason.message.endswith("(remove it, or pass overwrite=True)")
    assert made.read_bytes() == b"retouched"
    (replaced,) = batch([picture], tmp_path / "out", size=32, overwrite=True)
    assert replaced.status == "cropped"
    assert made.read_bytes() != b"retouched"
