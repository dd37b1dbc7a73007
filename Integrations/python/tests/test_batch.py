"""Compares `batch` with the command's own results."""

import itertools
import json
import os
import pathlib
import re
import subprocess

import pytest
from PIL import Image

from facecrop import Result, WorkerError, batch, naming, webdataset
from samples import pictures


def files(folder: pathlib.Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != "manifest.ndjson"
    }


def test_the_outputs_are_those_of_the_command(facecrop: str, tmp_path: pathlib.Path) -> None:
    source, ours, theirs = tmp_path / "in", tmp_path / "ours", tmp_path / "theirs"
    inputs = pictures.draw(source, 60) + pictures.poison(source / "poison", 16)
    Image.new("RGB", (200, 100)).save(wall := source / "wall.png")
    inputs.append(wall)
    found = list(batch(inputs, ours, base=source, facecrop=facecrop, preset="avatar", size=[64, 32], no_face="skip"))
    assert sorted(result.input for result in found) == sorted(map(str, inputs))
    names = b"\0".join(os.fsencode(path) for path in inputs)
    options = ["--preset=avatar", "--size=64,32", "--no-face=skip", "--progress=none"]
    subprocess.run(
        [facecrop, "batch", "--from-list=-", f"--base={source}", f"-d={theirs}", *options],
        input=names,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    assert files(ours) == files(theirs)
    entries = map(json.loads, (theirs / "manifest.ndjson").read_text().splitlines()[1:])
    recorded = {entry["input"]: entry for entry in entries}
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
    assert cropped.reason is None
    assert len(cropped.faces) >= 1
    assert len(cropped.regions) == 1
    assert [output.width for output in cropped.outputs][-1] <= 32


def test_an_image_without_a_face_has_no_output(facecrop: str, tmp_path: pathlib.Path) -> None:
    Image.new("RGB", (200, 100)).save(wall := tmp_path / "wall.png")
    (result,) = batch([wall], tmp_path / "out", facecrop=facecrop, preset="avatar")
    assert result.status == "no-face"
    assert result.outputs == ()
    assert not any((tmp_path / "out").iterdir())
    (centered,) = batch([wall], tmp_path / "out", facecrop=facecrop, preset="avatar", no_face="center")
    assert len(centered.outputs) == 1


def test_a_crop_is_of_the_face_that_the_output_shows(facecrop: str, tmp_path: pathlib.Path) -> None:
    # The output shows the larger face, whichever has the higher score.
    two = pictures.portraits((900, 512), (300, 560, 60), (512, 0, 0))
    two.save(path := tmp_path / "two.jpg", quality=95)
    wanted = {"preset": "avatar", "size": [200, 100], "align": True, "upscale": True, "format": "png"}
    (result,) = batch([path], tmp_path / "out", facecrop=facecrop, **wanted)  # type: ignore[arg-type]
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
        assert isinstance(eye, int)
        assert isinstance(cheek, int)
        assert eye < cheek
    each = next(iter(batch([path], tmp_path / "each", facecrop=facecrop, preset="avatar", faces="each")))
    assert [crop.face for crop in each.crops] == [each.faces[crop["faces"][0]] for crop in each.members["crops"]]


def test_the_extensions_are_those_of_the_library() -> None:
    sources = pictures.REPOSITORY.glob("Sources/FaceCrop/Codecs/**/*.swift")
    lists = [found for path in sources for found in re.findall(r"fileExtensions: \[(\".*?)\]", path.read_text())]
    assert len(lists) >= 6
    assert set(re.findall(r"\w+", ",".join(lists))) <= set(naming.READ)


@pytest.mark.parametrize("image_format", ["jpeg", "jpg", "png", "webp", "avif", "tiff", None])
@pytest.mark.parametrize("name", ["a.jpg", "b.JPEG", "c.png", "d.webp", "e.tar.jpg", "f", ".g.jpg", "h.heic"])
def test_names_are_the_commands(facecrop: str, tmp_path: pathlib.Path, name: str, image_format: str | None) -> None:
    (path := tmp_path / name).write_bytes(pictures.PORTRAIT.read_bytes())
    options = {"size": 16} | ({"format": image_format} if image_format else {})
    (result,) = batch([path], tmp_path / "ours", facecrop=facecrop, **options)  # type: ignore[arg-type]
    words = [f"--{key}={value}" for key, value in options.items()]
    subprocess.run(
        [facecrop, "batch", path, f"-d={tmp_path / 'theirs'}", "--progress=none", *words],
        stderr=subprocess.DEVNULL,
        check=True,
    )
    assert result.status == "cropped", result
    assert files(tmp_path / "ours") == files(tmp_path / "theirs")


def test_refused_names_are_results_at_once(facecrop: str, tmp_path: pathlib.Path) -> None:
    (one,) = pictures.draw(tmp_path / "in", 1)
    results = batch(itertools.cycle([one]), tmp_path / "out", facecrop=facecrop, size=32)
    first = list(itertools.islice(results, 3))
    results.close()
    assert [result.reason and result.reason.kind for result in first] == ["name"] * 3


def test_outputs_have_one_name_each(facecrop: str, tmp_path: pathlib.Path) -> None:
    one, two = pictures.draw(tmp_path / "in", 2)
    other = two.with_name(one.name)
    two.rename(other)
    found = list(batch([one, other], tmp_path / "out", facecrop=facecrop, size=32))
    assert [result.status for result in found if result.input == str(one)] == ["cropped"]
    (refused,) = [result for result in found if result.input == str(other)]
    assert refused.reason is not None
    assert (refused.reason.kind, "base" in refused.reason.message) == ("name", True)
    assert len(files(tmp_path / "out")) == 1
    # The message names what helps: neither another base nor the function itself.
    two = one.with_suffix(".png")
    two.write_bytes(one.read_bytes())
    for output, base, remedy in (
        (tmp_path / "based", one.parent, "a function as output"),
        (lambda _: tmp_path / "equal.webp", None, "a name of its own"),
    ):
        found = list(batch([one, two], output, base=base, facecrop=facecrop, size=32, format="webp"))
        (refused,) = [result for result in found if result.status == "failed"]
        assert refused.reason is not None
        assert (refused.input, remedy in refused.reason.message) == (str(two), True)
        assert "pass base" not in refused.reason.message
    # Named by the caller.
    found = list(
        batch(
            [one, other],
            lambda path: tmp_path / "named" / f"{pathlib.Path(path).parent.name}.webp",
            facecrop=facecrop,
            size=32,
        )
    )
    assert sorted(files(tmp_path / "named")) == ["00.webp", "01.webp"]
    assert all(result.status == "cropped" for result in found)


def test_an_image_given_twice_is_named_as_such(
    facecrop: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (one,) = pictures.draw(tmp_path / "in", 1)
    monkeypatch.chdir(tmp_path)
    for again in (one, one.relative_to(tmp_path), f"{one.parent}/../{one.parent.name}/{one.name}"):
        found = list(batch([one, str(again)], tmp_path / "out", facecrop=facecrop, size=32))
        assert sorted(result.status for result in found) == ["cropped", "failed"]
        (refused,) = [result.reason for result in found if result.reason]
        assert refused.kind == "name"
        assert refused.message.startswith("the image is given twice")
        assert "base" not in refused.message


def test_what_cannot_have_an_output(facecrop: str, tmp_path: pathlib.Path) -> None:
    (picture,) = pictures.draw(tmp_path / "in", 1)
    (tmp_path / "file").touch()
    (result,) = batch([picture], tmp_path / "file/out", facecrop=facecrop)
    assert (result.status, result.reason and result.reason.kind) == ("failed", "output")
    (result,) = batch([picture], tmp_path / "out", base=tmp_path / "elsewhere", facecrop=facecrop)
    assert (result.status, result.reason and result.reason.kind) == ("failed", "name")
    assert picture.read_bytes()


def test_inputs_are_taken_as_there_is_room(facecrop: str, tmp_path: pathlib.Path) -> None:
    (picture,) = pictures.draw(tmp_path / "in", 1)
    taken = 0

    def inputs() -> itertools.chain[pathlib.Path]:
        nonlocal taken
        for _ in itertools.count():
            taken += 1
            yield picture  # type: ignore[misc]

    run = batch(inputs(), lambda _: tmp_path / f"{taken}.jpg", jobs=2, facecrop=facecrop, size=16)
    found = list(itertools.islice(run, 20))
    run.close()  # type: ignore[attr-defined]
    assert len(found) == 20
    assert taken <= 20 + 8
    assert all(isinstance(result, Result) and result.status == "cropped" for result in found)


def test_a_picture_that_ends_its_process_is_a_result(poisoned_command: str, tmp_path: pathlib.Path) -> None:
    inputs = pictures.draw(tmp_path / "in", 6)
    poison = tmp_path / "in/crash.jpg"
    poison.write_bytes(inputs[0].read_bytes())
    found = {result.input: result for result in batch([*inputs, poison], tmp_path / "out", facecrop=poisoned_command)}
    assert len(found) == 7
    failed = {path: result.reason and result.reason.kind for path, result in found.items() if result.status == "failed"}
    assert failed == {str(poison): "crashed"}


def test_nothing_begins_with_wrong_options(facecrop: str, tmp_path: pathlib.Path) -> None:
    with pytest.raises(ValueError, match="quality"):
        batch(["a.jpg"], tmp_path / "out", facecrop=facecrop, quality=500)
    with pytest.raises(ValueError, match="jobs"):
        batch(["a.jpg"], tmp_path / "out", facecrop=facecrop, jobs=-1)
    with pytest.raises(ValueError, match="base"):
        batch(["a.jpg"], lambda path: path, base="in", facecrop=facecrop)
    with pytest.raises(WorkerError, match="cannot be started"):
        list(batch(["a.jpg"], tmp_path / "out", facecrop="/nowhere/facecrop"))
    assert not (tmp_path / "out").exists() or not files(tmp_path / "out")


def test_relative_paths_are_those_of_the_call(
    facecrop: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Relative paths do not depend on the folder in which the results are read."""
    for name, size in (("one", 40), ("two", 80)):
        (tmp_path / name).mkdir()
        Image.new("RGB", (size, size)).save(tmp_path / name / "a.png")
    monkeypatch.chdir(tmp_path / "one")
    found = batch(["a.png"], "out", facecrop=os.path.relpath(facecrop), no_face="whole")
    monkeypatch.chdir(tmp_path / "two")
    (result,) = found
    assert (result.status, result.input) == ("no-face", "a.png")
    with Image.open(tmp_path / "one/out/a.png") as made:
        assert made.size == (40, 40)
    assert not (tmp_path / "two/out").exists()


def test_a_retouched_output_is_kept(facecrop: str, tmp_path: pathlib.Path) -> None:
    (picture,) = pictures.draw(tmp_path / "in", 1)
    (first,) = batch([picture], tmp_path / "out", facecrop=facecrop, size=32)
    (same,) = batch([picture], tmp_path / "out", facecrop=facecrop, size=32)
    assert first.status == same.status == "cropped"
    made = pathlib.Path(first.outputs[0].path)
    made.write_bytes(b"retouched")
    (kept,) = batch([picture], tmp_path / "out", facecrop=facecrop, size=32)
    assert (kept.status, kept.reason and kept.reason.kind) == ("failed", "exists")
    assert kept.reason
    assert kept.reason.message.endswith("(remove it, or pass overwrite=True)")
    assert made.read_bytes() == b"retouched"
    (replaced,) = batch([picture], tmp_path / "out", facecrop=facecrop, size=32, overwrite=True)
    assert replaced.status == "cropped"
    assert made.read_bytes() != b"retouched"


def test_a_single_path_is_no_list(tmp_path: pathlib.Path) -> None:
    pattern = tmp_path / "{shard}.tar"
    for path in ("photos/group.jpg", b"a.jpg", tmp_path, bytearray(b"a.jpg"), memoryview(b"a.jpg")):
        with pytest.raises(TypeError, match=r"inputs must be several paths.* \(pass \[path\]\)"):
            batch(path, tmp_path / "out")  # type: ignore[arg-type]
        with pytest.raises(TypeError, match=r"inputs must be several paths.* \(pass \[path\]\)"):
            webdataset(path, pattern)  # type: ignore[arg-type]
    for other in (None, 5):
        with pytest.raises(TypeError, match=r"inputs must be several paths, not (NoneType|int)"):
            batch(other, tmp_path / "out")  # type: ignore[arg-type]
        with pytest.raises(TypeError, match=r"inputs must be several paths, not (NoneType|int)"):
            webdataset(other, pattern)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("wrong", [None, 5, b"out"])
def test_names_of_outputs_are_paths(facecrop: str, tmp_path: pathlib.Path, wrong: object) -> None:
    (one,) = pictures.draw(tmp_path / "in", 1)
    kind = type(wrong).__name__
    with pytest.raises(TypeError, match=f"^output must be a folder or a function that names outputs, not {kind}$"):
        batch([one], wrong, facecrop=facecrop)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=rf"^the result of the function output must be a path, not {kind} \(for '/"):
        list(batch([one], lambda _: wrong, facecrop=facecrop))  # type: ignore[arg-type, return-value]
    with pytest.raises(TypeError, match=f"^pattern must be a path, not {kind}$"):
        webdataset([one], wrong, facecrop=facecrop)  # type: ignore[arg-type]
    if wrong is not None:
        with pytest.raises(TypeError, match=f"^base must be a folder, not {kind}$"):
            batch([one], tmp_path / "out", base=wrong, facecrop=facecrop)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match=f"^facecrop must be the command's path, not {kind}$"):
            batch([one], tmp_path / "out", facecrop=wrong)  # type: ignore[arg-type]


def test_no_choice_for_images_without_a_face_is_the_default(facecrop: str, tmp_path: pathlib.Path) -> None:
    Image.new("RGB", (200, 100)).save(wall := tmp_path / "wall.png")
    (result,) = batch([wall], tmp_path / "out", facecrop=facecrop, no_face=None)  # type: ignore[typeddict-item]
    assert (result.status, result.outputs) == ("no-face", ())


@pytest.mark.parametrize(("input_", "words"), [(b"a.jpg", r"not bytes \(call crop with"), (None, "not NoneType")])
def test_inputs_are_paths(facecrop: str, tmp_path: pathlib.Path, input_: object, words: str) -> None:
    with pytest.raises(TypeError, match=f"each input must be a path, {words}"):
        list(batch([input_], tmp_path / "out", facecrop=facecrop))  # type: ignore[list-item]
    with pytest.raises(TypeError, match=f"each input must be a path, {words}"):
        webdataset([input_], tmp_path / "{shard}.tar", facecrop=facecrop)  # type: ignore[list-item]


def test_an_empty_name_is_a_result(facecrop: str, tmp_path: pathlib.Path) -> None:
    (result,) = batch([""], tmp_path / "out", facecrop=facecrop)
    assert result.reason
    assert (result.reason.kind, result.reason.message[:30]) == ("unreadable", "the name of the image is empty")
