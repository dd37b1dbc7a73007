"""Crops single images with the real command."""

import concurrent.futures
import gc
import io
import math
import multiprocessing
import os
import pathlib
import pickle
import signal
import subprocess
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from PIL import Image

import facecrop as package
from facecrop import Cropper, FaceCropError, NoFaceError, PictureError, PictureWarning, WorkerError, worker
from samples.fixtures import run_python
from samples.pictures import PORTRAIT, encoded, portraits, wall

TWO = portraits((1024, 512), (512, 0, 0), (512, 512, 0))


def opened(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data))


def test_bytes_in_are_the_commands_bytes_out(facecrop: str, cropper: Cropper, tmp_path: pathlib.Path) -> None:
    options = ["--preset=portrait", "--size=200", "--format=webp", "--quality=70"]
    subprocess.run([facecrop, "crop", PORTRAIT, "-o", tmp_path / "out.webp", *options], check=True)
    for picture in (PORTRAIT.read_bytes(), memoryview(PORTRAIT.read_bytes()), PORTRAIT, str(PORTRAIT)):
        made = cropper.crop(picture, preset="portrait", size=200, format="webp", quality=70)
        assert made == (tmp_path / "out.webp").read_bytes()


@pytest.mark.filterwarnings("ignore::facecrop.PictureWarning")
@pytest.mark.parametrize("preset", ["crop", "avatar", "portrait", "tight", "passport:us", "social-facebook"])
def test_presets(facecrop: str, cropper: Cropper, tmp_path: pathlib.Path, preset: str) -> None:
    """With two people, and without a size: the bytes are the command's, whose tests compare it with the library."""
    file = tmp_path / "two.jpg"
    TWO.save(file, quality=95)
    for out, options in (("out.jpg", {}), ("out.webp", {"format": "webp"})):
        subprocess.run([facecrop, "crop", file, "-o", tmp_path / out, f"--preset={preset}"], check=True)
        assert cropper.crop(file, preset=preset, **options) == (tmp_path / out).read_bytes()


@pytest.mark.filterwarnings("ignore::facecrop.PictureWarning")
def test_the_format_is_the_pictures_where_none_is_said(cropper: Cropper) -> None:
    assert opened(cropper.crop(PORTRAIT.read_bytes(), size=64)).format == "JPEG"
    assert opened(cropper.crop(wall(), size=64)).format == "PNG"


@pytest.mark.filterwarnings("ignore::facecrop.PictureWarning")
def test_an_avatar_is_square(cropper: Cropper) -> None:
    assert opened(cropper.avatar(PORTRAIT, size=96)).size == (96, 96)
    assert opened(cropper.avatar(PORTRAIT, size=90, preset="passport")).size == (70, 90)


def test_documents_and_shapes(cropper: Cropper) -> None:
    assert opened(cropper.avatar(PORTRAIT, preset="visa:us", upscale=True)).size == (600, 600)
    wide = opened(cropper.crop(PORTRAIT, fill="2:1")).size
    assert wide == (512, 256)


def test_several_outputs(cropper: Cropper) -> None:
    two = encoded(TWO, "JPEG")
    made = cropper.crops(two, faces="each", preset="avatar", size=[64, 32])
    assert [opened(data).size for data in made] == [(64, 64), (32, 32), (64, 64), (32, 32)]
    with pytest.raises(ValueError, match="4 outputs"):
        cropper.crop(two, faces="each", preset="avatar", size=[64, 32])


def test_two_sizes_may_be_meant_as_a_shape(cropper: Cropper) -> None:
    with pytest.raises(ValueError, match=r"2 outputs \(call crops to get both sizes, or pass size=\"30x40\" "):
        cropper.crop(PORTRAIT, preset="portrait", size=(30, 40))
    assert opened(cropper.crop(PORTRAIT, preset="portrait", size="30x40")).size == (30, 40)
    with pytest.raises(ValueError, match=r"2 outputs \(call crops to get them all\)"):
        cropper.crop(encoded(TWO, "JPEG"), faces="each", preset="avatar", size=[64])


def test_faces(facecrop: str, cropper: Cropper) -> None:
    assert cropper.detect(PORTRAIT).faces[0].head is None
    found = cropper.detect(PORTRAIT.read_bytes(), heads=True)
    assert (found.width, found.height, found.detector, len(found.faces)) == (512, 512, "yunet", 1)
    (face,) = found.faces
    assert 0.5 < face.score <= 1
    assert len(face.landmarks) == 5
    assert face.head is not None
    assert len(face.head.outline) > 8
    assert face.head.crown.place < face.box.y < face.head.chin.place
    assert face.landmarks[0].x < face.landmarks[1].x
    assert found.chosen == face
    by_cascades = cropper.detect(PORTRAIT, detector="haar")
    assert by_cascades.detector == "haar"
    assert by_cascades.faces[0].landmarks == ()
    assert cropper.detect(wall()).faces == ()


def test_limits_apply_to_detection(cropper: Cropper) -> None:
    for limit in ({"max_pixels": 1000}, {"max_side": 100}, {"max_file_size": 100}):
        with pytest.raises(PictureError) as raised:
            cropper.detect(PORTRAIT, **limit)  # type: ignore[arg-type]
        assert raised.value.kind == "limit"
    assert len(cropper.detect(PORTRAIT, max_pixels="1MP").faces) == 1


def test_a_picture_without_a_face(cropper: Cropper) -> None:
    with pytest.warns(PictureWarning, match="the whole image was used"):
        assert opened(cropper.crop(wall())).size == (200, 100)
    for policy in ("skip", "fail"):
        with pytest.raises(NoFaceError, match="no face was found") as raised:
            cropper.crop(wall(), no_face=policy)
        assert "written" not in str(raised.value), "the call returns bytes"


def test_pictures_that_are_none(cropper: Cropper, tmp_path: pathlib.Path) -> None:
    kinds = {}
    for name, picture in {
        "text": b"This is no picture.",
        "nothing": b"",
        "cut": PORTRAIT.read_bytes()[:2_000],
        "missing": tmp_path / "missing.jpg",
        "small": PORTRAIT.read_bytes(),
    }.items():
        with pytest.raises(PictureError) as raised:
            cropper.crop(picture, **({"max_pixels": 100} if name == "small" else {}))
        kinds[name] = raised.value.kind
        message = str(raised.value)
        assert not message.endswith(".")
        assert message.startswith(f"{picture}: ") == isinstance(picture, pathlib.Path)
        assert name != "small" or "limit of 100 " in message
        assert not raised.value.retryable
        again = pickle.loads(pickle.dumps(raised.value))
        assert (again.kind, str(again), again.retryable) == (raised.value.kind, str(raised.value), False)
    assert kinds == {
        "text": "unsupported",
        "nothing": "corrupt",
        "cut": "truncated",
        "missing": "unreadable",
        "small": "limit",
    }
    # The next call has a working worker.
    assert cropper.avatar(PORTRAIT, size=32)


def test_options_that_are_none(facecrop: str, cropper: Cropper) -> None:
    with pytest.raises(ValueError, match="quality"):
        cropper.crop(PORTRAIT, quality=500)
    with pytest.raises(ValueError, match="memory 'lots' is not valid"):
        Cropper(facecrop=facecrop, memory="lots")


# What a caller reads has the names that a caller writes: no dashes, and nothing of the command line.
@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ({"size": -5}, "size '-5' is not valid"),
        ({"padding": -0.2}, "padding '-0.2' is not valid (write"),
        ({"preset": "nope"}, "preset 'nope' is not valid (write crop, avatar"),
        ({"presett": "avatar"}, "(did you mean 'preset'"),
        ({"max_pixels": "1000"}, '(raise it with max_pixels="1MP")'),
        ({"max_file_size": 100}, '(raise it with max_file_size="1MiB")'),
        ({"max_side": 100}, "(raise it with max_side=512)"),
        ({"min_size": 5000}, "(lower min_size, or"),
        ({"quality": 500}, "quality 500 is out of range (use 1 to 100)"),
        ({"keep_people": True}, "(add background_fill white, or leave it out)"),
        ({"format": "auto"}, "format auto needs the client's media types (add accept image/webp)"),
        ({"quality": "lossless"}, "quality lossless does not work with JPEG"),
        ({"align": True, "detector": "haar"}, "detector haar does not find (use detector yunet)"),
        ({"upscale": 1}, "upscale must be True or False"),
        ({"no_face": "fail", "min_face": 9999}, "no face"),
        ({"matte": "white"}, "such as 336699)"),
    ],
)
def test_errors_have_the_words_of_python(cropper: Cropper, wanted: dict[str, Any], words: str) -> None:
    with pytest.raises((ValueError, FaceCropError)) as raised:
        cropper.avatar(PORTRAIT, **wanted)
    message = str(raised.value)
    assert words in message
    assert not [shell for shell in ("--", "facecrop:", "Try '") if shell in message]


def test_the_time_is_raised_where_it_was_set(facecrop: str, tmp_path: pathlib.Path) -> None:
    with Cropper(facecrop=facecrop, timeout=0.001) as cropper:
        for call in (cropper.avatar, cropper.blur):
            with pytest.raises(PictureError, match=r"\(raise it with Cropper\(timeout=1\)\)$"):
                call(PORTRAIT)
    with pytest.raises(PictureError, match=r"\(raise it with timeout=1\)$"):
        package.blur(PORTRAIT, timeout=0.001)
    (result,) = package.batch([PORTRAIT], tmp_path, facecrop=facecrop, timeout=0.001)
    assert result.reason
    assert result.reason.message.endswith("(raise it with timeout=1)")
    with pytest.raises(ValueError, match=r"^timeout 1e-09 is out of range \(use 0\.001 to"):
        Cropper(facecrop=facecrop, timeout=1e-9)


def test_the_command_and_folders_are_paths(facecrop: str, tmp_path: pathlib.Path) -> None:
    with Cropper(facecrop=pathlib.Path(facecrop), scratch_dir=tmp_path) as cropper:
        assert cropper.avatar(PORTRAIT, size=32)
    for wrong in (5, b"/bin"):
        with pytest.raises(TypeError, match="facecrop must be the command's path, not "):
            Cropper(facecrop=wrong)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="facecrop must be the command's path, not "):
            package.blur(PORTRAIT, facecrop=wrong)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="scratch_dir must be a folder, not "):
            Cropper(scratch_dir=wrong)  # type: ignore[arg-type]


def test_a_default_also_replaces_none(cropper: Cropper) -> None:
    found = cropper.avatar(PORTRAIT, size=64, preset=None)  # type: ignore[typeddict-item]
    assert found == cropper.avatar(PORTRAIT, size=64)
    assert len(cropper.chips(wall(), no_face=None)) == 0  # type: ignore[typeddict-item]
    assert cropper.chips(PORTRAIT, template=None).shape == (1, 112, 112, 3)  # type: ignore[typeddict-item]


def test_a_frozen_worker_is_an_error_in_time(facecrop: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "_MARGIN", 1.0, raising=False)
    with Cropper(facecrop=facecrop, timeout=2, workers=1) as cropper:
        expected = cropper.avatar(PORTRAIT, size=32)
        pid = cropper._all[0].pid
        assert pid is not None
        os.kill(pid, signal.SIGSTOP)
        start = time.monotonic()
        with pytest.raises(PictureError, match=r"no response came within 3 s.* raise Cropper\(timeout=") as raised:
            cropper.avatar(PORTRAIT, size=32)
        assert 2.9 < time.monotonic() - start < 10
        assert (raised.value.kind, raised.value.retryable) == ("limit", True)
        assert not pathlib.Path(f"/proc/{pid}").exists()
        assert cropper.avatar(PORTRAIT, size=32) == expected


def test_numbers_that_are_none(cropper: Cropper) -> None:
    for number in (math.nan, math.inf):
        with pytest.raises(ValueError, match="finite"):
            cropper.avatar(PORTRAIT, padding=number)
        with pytest.raises(ValueError, match="finite"):
            Cropper(timeout=number)
    with pytest.raises(ValueError, match="padding"):
        cropper.avatar(PORTRAIT, padding=-0.5)
    # No worker has ended because of it.
    assert cropper.avatar(PORTRAIT, size=32)


def test_no_command(tmp_path: pathlib.Path) -> None:
    with Cropper(facecrop=str(tmp_path / "none")) as cropper, pytest.raises(WorkerError, match="none") as raised:
        cropper.avatar(PORTRAIT)
    assert "(install facecrop, set FACECROP to its path, or pass facecrop=" in str(raised.value)


def test_threads_share_workers(cropper: Cropper) -> None:
    expected = {side: cropper.avatar(PORTRAIT, size=side) for side in range(32, 48)}
    data = PORTRAIT.read_bytes()
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda side: (side, cropper.avatar(data, size=side)), [*expected] * 4))
    assert len(made) == 64
    assert all(bytes_ == expected[side] for side, bytes_ in made)
    assert 1 <= len(cropper._all) <= 2


def test_nothing_is_left(facecrop: str, tmp_path: pathlib.Path) -> None:
    with Cropper(facecrop=facecrop, scratch_dir=str(tmp_path)) as cropper:
        cropper.crops(PORTRAIT.read_bytes(), size=[64, 32])
        cropper.detect(PORTRAIT.read_bytes())
        with pytest.raises(PictureError):
            cropper.crop(b"text")
        assert [os.listdir(folder) for folder in tmp_path.iterdir()] == [[".facecrop-scratch"]]
        pids = [worker.pid for worker in cropper._all]
    assert list(tmp_path.iterdir()) == []
    assert not any(pathlib.Path(f"/proc/{pid}").exists() for pid in pids)
    with pytest.raises(FaceCropError, match="closed"):
        cropper.crop(PORTRAIT)


def _in_fork(cropper: Cropper) -> tuple[bytes, list[int | None]]:
    made = cropper.avatar(PORTRAIT, size=48)
    return made, [worker.pid for worker in cropper._all]


def test_a_forked_process_has_its_own(cropper: Cropper, facecrop: str) -> None:
    expected, own = _in_fork(cropper)
    global _inherited
    _inherited = cropper
    with multiprocessing.get_context("fork").Pool(2) as pool:
        found = pool.map(_of_inherited, range(4))
    assert all(made == expected for made, _ in found)
    assert not {pid for _, pids in found for pid in pids} & set(own)
    # The fork's workers are ended; this process's worker is not.
    assert _in_fork(cropper) == (expected, own)


_inherited: Cropper


def _of_inherited(_: int) -> tuple[bytes, list[int | None]]:
    return _in_fork(_inherited)


def test_the_functions_share_one(facecrop: str) -> None:
    script = (
        "import sys, facecrop\n"
        f"a = facecrop.avatar({str(PORTRAIT)!r}, size=40)\n"
        f"assert facecrop.crop({str(PORTRAIT)!r}, preset='avatar', size=40) == a\n"
        f"assert facecrop.crops({str(PORTRAIT)!r}, preset='avatar', size=40) == [a]\n"
        f"assert len(facecrop.detect({str(PORTRAIT)!r}).faces) == 1\n"
        "assert len(facecrop._SHARED._all) == 1\n"
        "print(facecrop._SHARED._all[0].pid, facecrop._SHARED._scratch.folder)\n"
    )
    run = run_python(script, FACECROP=facecrop)
    assert run.stderr == ""
    pid, folder = run.stdout.split()
    assert not pathlib.Path(f"/proc/{pid}").exists()
    assert not pathlib.Path(folder).exists()


def test_all_that_is_public_is_there() -> None:
    assert all(hasattr(package, name) for name in package.__all__)


@pytest.mark.filterwarnings("ignore::facecrop.PictureWarning")
def test_relative_paths_follow_the_folder(
    facecrop: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two files have one name: after a change of folder the other one is meant."""
    for name, size in (("one", 40), ("two", 80)):
        (tmp_path / name / "scratch").mkdir(parents=True)
        Image.new("RGB", (size, size)).save(tmp_path / name / "a.png")
    monkeypatch.chdir(tmp_path / "one")
    with Cropper(facecrop=os.path.relpath(facecrop), workers=1, scratch_dir="scratch") as cropper:
        monkeypatch.chdir(tmp_path / "two")
        assert opened(cropper.crop("a.png")).size == (80, 80)
        assert cropper.detect("a.png").width == 80
        monkeypatch.chdir(tmp_path / "one")
        assert opened(cropper.crop(pathlib.Path("a.png"))).size == (40, 40)
        assert cropper.detect("a.png").width == 40


def test_threads_share_one_cropper_from_the_first_call_on(facecrop: str) -> None:
    program = """
import concurrent.futures, threading, facecrop
from facecrop import cropper
barrier = threading.Barrier(8)
def call(_):
    barrier.wait()
    return facecrop.detect(PICTURE).width
with concurrent.futures.ThreadPoolExecutor(8) as pool:
    assert set(pool.map(call, range(8))) == {512}
print(len(cropper._croppers))
"""
    assert run_python(program.replace("PICTURE", repr(str(PORTRAIT))), FACECROP=facecrop).stdout == "1\n"


def test_the_wheels_command_says_what_is_missing() -> None:
    run = run_python("from facecrop import command; command.main()", check=False)
    assert run.returncode == 127
    assert "bin/facecrop: " in run.stderr
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize(
    ("picture", "words"),
    [
        (numpy.zeros((4, 4, 3), dtype=numpy.uint8), "array of pixels"),
        (memoryview(numpy.zeros((4, 4), dtype=numpy.uint8)), "array of pixels"),
        (None, "NoneType"),
        (io.BytesIO(b"x"), "getvalue"),
    ],
)
def test_what_is_no_file_is_refused(picture: object, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        package.avatar(picture)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=words):
        package.blur(picture)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: package.avatar(b"x", size=True), r"size needs a value, not True \(see facecrop\.CropOptions\)"),
        (lambda: package.blur(b"x", faces=True), r"faces needs a value, not True \(see facecrop\.BlurOptions\)"),
        (lambda: package.detect(b"x", detector=True), r"detector needs a value"),
        (lambda: package.avatar(b"x", size=b"64"), "size must be a number, a text or a list of numbers, not bytes"),
        (lambda: package.crops(b"x", size=bytearray(b"64")), "size must be .*, not bytearray"),
        (lambda: package.avatar(b"x", upscale=3), "upscale must be True or False, not 3"),
        (lambda: package.detect(b"x", heads="yes"), "heads must be True or False, not 'yes'"),
        (lambda: package.blur(b"x", keep_location=1), "keep_location must be True or False"),
        (lambda: package.avatar(b"x", output="a.jpg"), "output is not an option of a crop"),
        (lambda: package.avatar(b"x", names="a.csv"), "names is not an option of a crop"),
        (lambda: package.avatar(b"x", timeout=5), r"timeout is not an option of a crop \(pass it .* Cropper\(timeout="),
        (lambda: package.avatar(b"x", presett="avatar"), r"presett is not an option of a crop \(did you mean 'preset'"),
        (lambda: package.detect(b"x", sise=3), "sise is not an option of detect"),
        (lambda: package.detect(b"x", head=True), r"head is not an option of detect \(did you mean 'heads'"),
        (lambda: package.batch([], "out", siez=3), r"siez is not an option of a crop \(did you mean 'size'"),
        (lambda: package.blur(b"x", except_=[1]), r"except_ is not an option of blur \(did you mean 'except_faces'"),
        (
            lambda: package.blur(b"x", **{"except": [1]}),
            r"except is not an option of blur \(did you mean 'except_faces'",
        ),
        (lambda: package.blur(b"x", exept_faces=[1]), r"exept_faces is not .* \(did you mean 'except_faces'"),
        (lambda: package.blur(b"x", plan_in="a.json"), "plan_in is not an option of blur"),
        (lambda: package.blur(b"x", timeout="5"), "timeout must be a finite number of seconds above 0, not '5'"),
        (lambda: package.Cropper(timeout="10s"), "timeout must be a finite number of seconds above 0, not '10s'"),
        (lambda: package.Cropper(workers=0), "workers must be a whole number and at least 1, not 0"),
        (lambda: package.Cropper(workers="2"), "workers must be a whole number and at least 1, not '2'"),
        (lambda: package.batch([], "out", jobs=1.5), "jobs must be a whole number and at least 1, not 1.5"),
        (lambda: package.batch([], "out", jobs=0), "jobs must be a whole number and at least 1, not 0"),
        (lambda: package.webdataset([], "{shard}.tar", shard_size="9"), "shard_size must be a whole number"),
        (lambda: package.webdataset([], "t.tar"), "pattern must contain {shard}"),
        (lambda: package.webdataset([], "{}-{shard}.tar"), "pattern can only contain {shard}"),
        (lambda: package.webdataset([], "{name}-{shard}.tar"), "pattern can only contain {shard}"),
        (lambda: package.webdataset([], "{shard.tar"), "pattern can only contain {shard}"),
        (lambda: package.webdataset([], "{shard}/t-{shard}.tar"), "pattern must name the files of one folder"),
    ],
)
def test_wrong_options_are_one_kind_of_error(call: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()


# The lines of the calls are those of this file, however many functions of the package are in between.
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize(
    ("name", "options", "kind", "words"),
    [
        ("avatar", {"faces": "person:Ann"}, "no-face", "the metadata name no 'Ann'; the center of the image was used"),
        ("avatar", {"faces": 7}, "no-face", "face number 7 was not found; the center of the image was used"),
        ("crop", {"faces": 7}, "no-face", "face number 7 was not found; the whole image was used"),
        ("crops", {"size": 5000}, "smaller", "(pass upscale=True to enlarge)"),
        ("blur", {"except_faces": 1}, "not-hidden", "nothing was hidden (leave out except_faces to hide them)"),
    ],
)
def test_warnings_of_the_command_are_warnings(
    cropper: Cropper, shared: bool, name: str, options: dict[str, Any], kind: str, words: str
) -> None:
    call = getattr(package if shared or name == "blur" else cropper, name)
    with pytest.warns(PictureWarning) as found:
        call(PORTRAIT, **options)
    (warning,) = found
    assert isinstance(warning.message, PictureWarning)
    assert (warning.filename, warning.message.kind) == (__file__, kind)
    assert str(warning.message).startswith(f"{PORTRAIT}: ")
    assert words in str(warning.message)
    again = pickle.loads(pickle.dumps(warning.message))
    assert (again.kind, str(again)) == (kind, str(warning.message))


def test_warnings_of_chips_are_those_of_the_reader(cropper: Cropper) -> None:
    cut = PORTRAIT.read_bytes()[:-2]
    with pytest.warns(PictureWarning, match="the end marker is missing") as found:
        cropper.chips(cut, allow_truncated=True)
    assert [warning.filename for warning in found] == [__file__]
    with pytest.warns(PictureWarning, match="the end marker is missing") as found:
        read = [len(array) for array in cropper.chips([cut] * 7, allow_truncated=True)]
    assert read == [1] * 7
    assert [warning.filename for warning in found] == [__file__] * 7


def test_warnings_are_errors_or_nothing_on_request(cropper: Cropper) -> None:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("ignore", PictureWarning)
        assert cropper.avatar(wall(), size=32)
    assert found == []
    with warnings.catch_warnings():
        warnings.simplefilter("error", PictureWarning)
        with pytest.raises(PictureWarning, match="no face was found; the center of the image was used"):
            cropper.avatar(wall(), size=32)
        # An image without a face is no chip, as documented, and the faces of `detect` are there to be counted.
        assert len(cropper.chips(wall())) == 0
        assert cropper.detect(wall()).faces == ()
    assert cropper.avatar(PORTRAIT, size=32)


@pytest.mark.parametrize("has_command", [True, False])
def test_a_cropper_that_nobody_closes_leaves_nothing(facecrop: str, tmp_path: pathlib.Path, has_command: bool) -> None:
    command = facecrop if has_command else "/nowhere/facecrop"
    call = f"facecrop.Cropper(facecrop={command!r}, scratch_dir={str(tmp_path)!r})"
    program = f"""
import contextlib, facecrop, pathlib
data = pathlib.Path({str(PORTRAIT)!r}).read_bytes()
with contextlib.suppress(facecrop.WorkerError):
    {call}.avatar(data)
kept = {call}
with contextlib.suppress(facecrop.WorkerError):
    kept.avatar(data)
"""
    assert run_python(program).stderr == ""
    assert list(tmp_path.iterdir()) == []


def test_workers_end_with_a_dropped_cropper(facecrop: str) -> None:
    before = _children()
    descriptors = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        dropped = Cropper(facecrop=facecrop)
        dropped.detect(PORTRAIT)
        assert len(_children()) == len(before) + 1
        del dropped
        gc.collect()
    assert _children() == before
    assert len(os.listdir("/proc/self/fd")) == descriptors


def test_a_dropped_iterator_ends_the_workers_of_its_cropper(facecrop: str) -> None:
    before = _children()
    arrays = Cropper(facecrop=facecrop, workers=2).chips([PORTRAIT] * 8)
    assert len(next(arrays)) == 1
    assert len(_children()) > len(before)
    del arrays
    gc.collect()
    assert _children() == before


def _children() -> set[str]:
    return {
        pid for task in pathlib.Path("/proc/self/task").iterdir() for pid in (task / "children").read_text().split()
    }


def test_an_empty_name_is_named_as_such(cropper: Cropper) -> None:
    with pytest.raises(PictureError, match=r"^the name of the image is empty \(pass a path") as raised:
        cropper.avatar("")
    assert raised.value.kind == "unreadable"


def test_too_little_memory_for_one_job(facecrop: str) -> None:
    with pytest.raises(ValueError, match=r"memory is too small for 1 job \(use memory \d+MiB or more\)$"):
        Cropper(facecrop=facecrop, memory="1M")
    with pytest.raises(ValueError, match=r"\(use memory \d+MiB or more, or fewer jobs\)$"):
        package.batch([], "out", facecrop=facecrop, memory="1M", jobs=2)


def test_jpg_is_jpeg(cropper: Cropper) -> None:
    assert cropper.avatar(PORTRAIT, size=32, format="jpg") == cropper.avatar(PORTRAIT, size=32, format="jpeg")


def test_a_missing_scratch_folder_is_an_error_of_facecrop(tmp_path: pathlib.Path) -> None:
    with (
        package.Cropper(scratch_dir=str(tmp_path / "none")) as cropper,
        pytest.raises(package.FaceCropError, match="scratch_dir"),
    ):
        cropper.avatar(b"x")
