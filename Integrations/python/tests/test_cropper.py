"""Crops single images with the real command."""

import concurrent.futures
import gc
import io
import math
import multiprocessing
import os
import pathlib
import pickle
import re
import signal
import subprocess
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import facecrop as package
from facecrop import Cropper, FaceCropError, NoFaceError, PictureError, PictureWarning, WorkerError, worker
from samples.fixtures import fails, run_python
from samples.pictures import PORTRAIT, encoded, opened, portraits, wall

TWO = portraits((1024, 512), (512, 0, 0), (512, 512, 0))


@pytest.mark.filterwarnings("ignore::facecrop.PictureWarning")
@pytest.mark.parametrize("preset", ["crop", "avatar", "portrait", "tight", "passport:us", "social-facebook"])
def test_outputs_are_the_commands(facecrop: str, cropper: Cropper, tmp_path: pathlib.Path, preset: str) -> None:
    """With two people: the bytes are the command's, whose tests compare it with the library."""
    file = tmp_path / "two.jpg"
    TWO.save(file, quality=95)
    for out, options in (("out.jpg", {}), ("out.webp", {"format": "webp", "size": 200, "quality": 70})):
        words = [f"--{name}={value}" for name, value in options.items()]
        subprocess.run([facecrop, "crop", file, "-o", tmp_path / out, f"--preset={preset}", *words], check=True)
        for picture in (file, str(file), file.read_bytes(), memoryview(file.read_bytes())):
            assert cropper.crop(picture, preset=preset, **options) == (tmp_path / out).read_bytes()


@pytest.mark.filterwarnings("ignore::facecrop.PictureWarning")
def test_formats_and_sizes(cropper: Cropper) -> None:
    # Without a format, the output has the image's.
    assert opened(cropper.crop(PORTRAIT.read_bytes(), size=64)).format == "JPEG"
    assert opened(cropper.crop(wall(), size=64)).format == "PNG"
    assert cropper.avatar(PORTRAIT, size=32, format="jpg") == cropper.avatar(PORTRAIT, size=32, format="jpeg")
    assert opened(cropper.avatar(PORTRAIT, size=96)).size == (96, 96)
    assert opened(cropper.avatar(PORTRAIT, size=90, preset="passport")).size == (70, 90)
    assert opened(cropper.avatar(PORTRAIT, preset="visa:us", upscale=True)).size == (600, 600)
    assert opened(cropper.crop(PORTRAIT, fill="2:1")).size == (512, 256)
    assert opened(cropper.crop(PORTRAIT, preset="portrait", size="30x40")).size == (30, 40)


def test_several_outputs(cropper: Cropper) -> None:
    two = encoded(TWO, "JPEG")
    made = cropper.crops(two, faces="each", preset="avatar", size=[64, 32])
    assert [opened(data).size for data in made] == [(64, 64), (32, 32), (64, 64), (32, 32)]
    for size, count in (([64, 32], 4), ([64], 2)):
        with pytest.raises(ValueError, match=rf"{count} outputs \(call crops to get them all\)"):
            cropper.crop(two, faces="each", preset="avatar", size=size)
    # Two sizes may be meant as a shape.
    with pytest.raises(ValueError, match=r"2 outputs \(call crops to get both sizes, or pass size=\"30x40\" "):
        cropper.crop(PORTRAIT, preset="portrait", size=(30, 40))


def test_faces(cropper: Cropper) -> None:
    assert cropper.detect(PORTRAIT).faces[0].head is None
    found = cropper.detect(PORTRAIT.read_bytes(), heads=True)
    assert (found.width, found.height, found.detector, len(found.faces)) == (512, 512, "yunet", 1)
    (face,) = found.faces
    assert 0.5 < face.score <= 1
    assert len(face.landmarks) == 5
    assert len(face.head.outline) > 8
    assert face.head.crown.place < face.box.y < face.head.chin.place
    assert face.landmarks[0].x < face.landmarks[1].x
    assert found.chosen == face
    assert face.mesh == ()
    (meshed,) = cropper.detect(PORTRAIT, mesh=True).faces
    assert numpy.array(meshed.mesh).shape == (468, 2)
    assert abs(meshed.mesh[4].y - face.landmarks[2].y) < 0.02
    by_cascades = cropper.detect(PORTRAIT, detector="haar")
    assert by_cascades.detector == "haar"
    assert by_cascades.faces[0].landmarks == ()
    assert cropper.detect(wall()).faces == ()


def test_limits_apply_to_detection(cropper: Cropper) -> None:
    for limit in ({"max_pixels": 1000}, {"max_side": 100}, {"max_file_size": 100}):
        with fails("limit"):
            cropper.detect(PORTRAIT, **limit)  # type: ignore[arg-type]
    assert len(cropper.detect(PORTRAIT, max_pixels="1MP").faces) == 1


def test_a_picture_without_a_face(cropper: Cropper) -> None:
    with pytest.warns(PictureWarning, match="the whole image was used"):
        assert opened(cropper.crop(wall())).size == (200, 100)
    for policy in ("skip", "fail"):
        with pytest.raises(NoFaceError, match="no face was found") as raised:
            cropper.crop(wall(), no_face=policy)
        assert "written" not in str(raised.value), "the call returns bytes"


@pytest.mark.parametrize(
    ("picture", "options", "kind"),
    [
        (b"This is no picture.", {}, "unsupported"),
        (b"", {}, "corrupt"),
        (PORTRAIT.read_bytes()[:2_000], {}, "truncated"),
        (PORTRAIT.with_name("missing.jpg"), {}, "unreadable"),
        (PORTRAIT.read_bytes(), {"max_pixels": 100}, "limit"),
    ],
    ids=["text", "nothing", "cut", "missing", "large"],
)
def test_pictures_that_are_none(cropper: Cropper, picture: Any, options: Any, kind: str) -> None:
    with fails(kind) as raised:
        cropper.crop(picture, **options)
    message = str(raised.value)
    assert not message.endswith(".")
    assert message.startswith(f"{picture}: ") == isinstance(picture, pathlib.Path)
    assert kind != "limit" or "limit of 100 " in message
    again = pickle.loads(pickle.dumps(raised.value))
    assert (again.kind, str(again), again.retryable) == (kind, message, False)
    # The next call has a working worker.
    assert cropper.avatar(PORTRAIT, size=32)


# What a caller reads has the names that a caller writes: no dashes, and nothing of the command line.
@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ({"size": -5}, "size '-5' is not valid"),
        ({"padding": -0.2}, "padding '-0.2' is not valid (write"),
        ({"preset": "nope"}, "preset 'nope' is not valid (write crop, group, avatar"),
        ({"max_pixels": "1000"}, '(raise it with max_pixels="1MP")'),
        ({"max_file_size": 100}, '(raise it with max_file_size="1MiB")'),
        ({"max_side": 100}, "(raise it with max_side=512)"),
        ({"min_size": 5000}, "(lower min_size, or"),
        ({"quality": 500}, "quality 500 is out of range (use 1 to 100)"),
        ({"keep_people": True}, "(add background_fill white, or leave it out)"),
        ({"format": "auto"}, "format auto needs the client's media types (add accept image/webp)"),
        ({"quality": "lossless"}, "quality lossless does not work with JPEG"),
        ({"align": True, "detector": "haar"}, "detector haar does not find (use detector yunet)"),
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
    # No worker has ended because of it.
    assert cropper.avatar(PORTRAIT, size=32)


def test_the_time_is_raised_where_it_was_set(tmp_path: pathlib.Path) -> None:
    with Cropper(timeout=0.001) as cropper:
        for call in (cropper.avatar, cropper.blur):
            with pytest.raises(PictureError, match=r"\(raise it with Cropper\(timeout=1\)\)$"):
                call(PORTRAIT)
    with pytest.raises(PictureError, match=r"\(raise it with timeout=1\)$"):
        package.blur(PORTRAIT, timeout=0.001)
    (result,) = package.batch([PORTRAIT], tmp_path, timeout=0.001)
    assert result.reason.message.endswith("(raise it with timeout=1)")


def test_a_default_also_replaces_none(cropper: Cropper) -> None:
    found = cropper.avatar(PORTRAIT, size=64, preset=None)  # type: ignore[typeddict-item]
    assert found == cropper.avatar(PORTRAIT, size=64)
    assert len(cropper.chips(wall(), no_face=None)) == 0  # type: ignore[typeddict-item]
    assert cropper.chips(PORTRAIT, template=None).shape == (1, 112, 112, 3)  # type: ignore[typeddict-item]
    arrays = cropper.chips(PORTRAIT, format=None, progressive=False, align=False)  # type: ignore[typeddict-item]
    assert (arrays == cropper.chips(PORTRAIT)).all()


def test_a_frozen_worker_is_an_error_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "_MARGIN", 1.0, raising=False)
    with Cropper(timeout=2, workers=1) as cropper:
        expected = cropper.avatar(PORTRAIT, size=32)
        pid = cropper._all[0].pid
        os.kill(pid, signal.SIGSTOP)
        start = time.monotonic()
        with fails("limit", r"no response came within 3 s.* raise Cropper\(timeout=", retryable=True):
            cropper.avatar(PORTRAIT, size=32)
        assert 2.9 < time.monotonic() - start < 10
        assert not pathlib.Path(f"/proc/{pid}").exists()
        assert cropper.avatar(PORTRAIT, size=32) == expected


def test_threads_share_workers(cropper: Cropper) -> None:
    expected = {side: cropper.avatar(PORTRAIT, size=side) for side in range(32, 48)}
    data = PORTRAIT.read_bytes()
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda side: cropper.avatar(data, size=side), [*expected] * 4))
    assert made == [*expected.values()] * 4
    assert 1 <= len(cropper._all) <= 2


def test_nothing_is_left(facecrop: str, tmp_path: pathlib.Path) -> None:
    with Cropper(facecrop=pathlib.Path(facecrop), scratch_dir=tmp_path) as cropper:
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
    # The last call in progress removes the folder.
    cropper = Cropper(scratch_dir=tmp_path)
    with cropper._taken(), cropper._files(b"image"):
        cropper.close()
        assert list(tmp_path.iterdir()) != []
    assert list(tmp_path.iterdir()) == []


_inherited: list[Cropper] = []


def _with_inherited(_: object) -> tuple[bytes, list[int | None]]:
    (cropper,) = _inherited
    return cropper.avatar(PORTRAIT, size=48), [worker.pid for worker in cropper._all]


def test_a_forked_process_has_its_own(cropper: Cropper) -> None:
    _inherited[:] = [cropper]
    expected, own = _with_inherited(None)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        found = pool.map(_with_inherited, range(4))
    assert all(made == expected for made, _ in found)
    assert not {pid for _, pids in found for pid in pids} & set(own)
    # The fork's workers are ended; this process's worker is not.
    assert _with_inherited(None) == (expected, own)


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


@pytest.mark.filterwarnings("ignore::facecrop.PictureWarning")
def test_relative_paths_follow_the_folder(two_folders: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two files have one name: after a change of folder the other one is meant."""
    (two_folders / "one/scratch").mkdir()
    with Cropper(facecrop="./command", workers=1, scratch_dir="scratch") as cropper:
        monkeypatch.chdir(two_folders / "two")
        assert opened(cropper.crop("a.png")).size == (80, 80)
        assert cropper.detect("a.png").width == 80
        monkeypatch.chdir(two_folders / "one")
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
    assert re.fullmatch(r"facecrop: /\S+/bin/facecrop: the command cannot be started: .*\n", run.stderr)


@pytest.mark.parametrize(
    ("picture", "words"),
    [
        (numpy.zeros((4, 4, 3), dtype=numpy.uint8), "array of pixels"),
        (memoryview(numpy.zeros((4, 4), dtype=numpy.uint8)), "array of pixels"),
        (None, "not NoneType"),
        (5, "not int"),
        (io.BytesIO(wall()), r"not BytesIO \(pass picture\.getvalue\(\)\)"),
        (io.StringIO("a.jpg"), "not StringIO"),
    ],
)
@pytest.mark.parametrize("call", [package.avatar, package.blur, package.chips])
def test_what_is_no_file_is_refused(call: Callable[[object], object], picture: object, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        call(picture)


@pytest.mark.parametrize("call", [package.avatar, package.blur, package.detect])
def test_names_of_no_file_are_errors(call: Callable[[str], object]) -> None:
    for name, words in (("", r"^the name of the image is empty \(pass a path"), ("a\0b", "has a zero byte")):
        with fails("unreadable", words):
            call(name)


@pytest.mark.parametrize(
    "call",
    [
        lambda command: Cropper(facecrop=command).avatar(PORTRAIT),
        lambda command: Cropper(facecrop=command).blur(PORTRAIT),
        lambda command: package.blur(PORTRAIT, facecrop=command),
        lambda command: list(package.batch(["a.jpg"], "out", facecrop=command)),
    ],
)
def test_no_command(empty_folder: pathlib.Path, call: Callable[[str], object]) -> None:
    words = r"^/nowhere/c cannot be started: No such .* \(install facecrop, set FACECROP to its path, or pass facecrop="
    with pytest.raises(WorkerError, match=words):
        call("/nowhere/c")
    assert not any(path.is_file() for path in empty_folder.rglob("*"))


@pytest.mark.parametrize("wrong", [None, 5, b"out"])
def test_wrong_types_are_one_kind_of_error(empty_folder: pathlib.Path, wrong: Any) -> None:
    kind = type(wrong).__name__
    calls: list[tuple[Callable[[], object], str]] = [
        (lambda: package.batch([], wrong), f"output must be a folder or a function that names outputs, not {kind}$"),
        (
            lambda: list(package.batch([PORTRAIT], lambda _: wrong)),
            rf"the result of the function output must be a path, not {kind} \(for '/",
        ),
        (lambda: package.webdataset([], wrong), f"pattern must be a path, not {kind}$"),
    ]
    # None is the default.
    if wrong is not None:
        calls += [
            (lambda: Cropper(facecrop=wrong), f"facecrop must be the command's path, not {kind}$"),
            (lambda: Cropper(scratch_dir=wrong), f"scratch_dir must be a folder, not {kind}$"),
            (lambda: package.blur(PORTRAIT, facecrop=wrong), f"facecrop must be the command's path, not {kind}$"),
            (lambda: package.batch([], "out", facecrop=wrong), f"facecrop must be the command's path, not {kind}$"),
            (lambda: package.batch([], "out", base=wrong), f"base must be a folder, not {kind}$"),
        ]
    for call, words in calls:
        with pytest.raises(TypeError, match=f"^{words}"):
            call()
    assert list(empty_folder.iterdir()) == []


@pytest.mark.parametrize(
    "call", [lambda inputs: package.batch(inputs, "out"), lambda inputs: package.webdataset(inputs, "{shard}.tar")]
)
def test_inputs_are_several_paths(empty_folder: pathlib.Path, call: Callable[[object], Any]) -> None:
    single = ("photos/group.jpg", b"a.jpg", empty_folder, bytearray(b"a.jpg"), memoryview(b"a.jpg"))
    for inputs, words in (([None], "not NoneType"), ([b"a.jpg"], r"not bytes \(call crop with")):
        with pytest.raises(TypeError, match=f"^each input must be a path, {words}"):
            list(call(inputs))
    for inputs, words in (
        (None, "inputs must be several paths, not NoneType"),
        (5, "inputs must be several paths, not int"),
        *((path, r"inputs must be several paths.* \(pass \[path\]\)") for path in single),
    ):
        with pytest.raises(TypeError, match=f"^{words}"):
            call(inputs)
    assert list(empty_folder.iterdir()) == []


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
        (lambda: package.blur(b"x", **{"except": [1]}), r"except is not an option .* \(did you mean 'except_faces'"),
        (lambda: package.blur(b"x", exept_faces=[1]), r"exept_faces is not .* \(did you mean 'except_faces'"),
        (lambda: package.blur(b"x", plan_in="a.json"), "plan_in is not an option of blur"),
        (lambda: package.blur(b"x", timeout="5"), "timeout must be a finite number of seconds above 0, not '5'"),
        (lambda: Cropper(timeout="10s"), "timeout must be a finite number of seconds above 0, not '10s'"),
        (lambda: Cropper(timeout=math.nan), "timeout must be a finite number"),
        (lambda: Cropper(timeout=math.inf), "timeout must be a finite number"),
        (lambda: Cropper(timeout=1e-9), r"^timeout 1e-09 is out of range \(use 0\.001 to"),
        (lambda: Cropper(memory="lots"), "memory 'lots' is not valid"),
        (lambda: Cropper(memory="1M"), r"memory is too small for 1 job \(use memory \d+MiB or more\)$"),
        (lambda: package.batch([], "out", memory="1M", jobs=2), r"\(use memory \d+MiB or more, or fewer jobs\)$"),
        (lambda: package.batch([], "out", workers=2), "workers is not .*pass jobs to batch"),
        (lambda: package.batch([], "out", quality=500), "quality"),
        (lambda: package.batch([], str, base="in"), "base"),
        (lambda: package.avatar(b"", preset=""), "^preset is an empty text"),
        (lambda: package.blur(b"x", mode=""), "^mode is an empty text"),
        (lambda: package.blur(b"x", except_faces=[]), "^except_faces is an empty list"),
        (lambda: package.blur(PORTRAIT, margin=7), "margin"),
        (lambda: package.blur(PORTRAIT, except_faces="x"), "^except_faces 'x' is not valid"),
        (lambda: package.avatar(b"x", template="arcface-112"), r"^template places .*\(leave it out, or call crop\)$"),
        (lambda: package.avatar(b"x", fill="16:9"), r"^fill places the output, .*\(leave it out, or call crop\)$"),
        (lambda: package.avatar(b"x", fill_sizes="16:9,1:1"), r"^fill_sizes places .*\(leave it out, or call crop\)$"),
        (lambda: package.avatar(PORTRAIT, preset="tight", template="arcface-112"), "preset"),
        (lambda: package.avatar(PORTRAIT, preset="tight", fill="16:9"), "preset"),
        (lambda: package.avatar(PORTRAIT, preset="tight", fill_sizes="16:9,1:1"), "preset"),
        (lambda: package.chips(b"x", animation="keep"), "animation must be 'first' or 'best' for arrays"),
        (lambda: package.chips(PORTRAIT, template="arcface"), "template"),
        (lambda: Cropper().blur(b"x", timeout=5), r"timeout is not an option of blur \(pass it to Cropper"),
        (lambda: Cropper(workers=0), "workers must be a whole number and at least 1, not 0"),
        (lambda: Cropper(workers="2"), "workers must be a whole number and at least 1, not '2'"),
        (lambda: package.batch([], "out", jobs=1.5), "jobs must be a whole number and at least 1, not 1.5"),
        (lambda: package.batch([], "out", jobs=0), "jobs must be a whole number and at least 1, not 0"),
        (lambda: package.batch([], "out", attempts=0), "attempts must be a whole number and at least 1, not 0"),
        (lambda: package.webdataset([], "{shard}.tar", shard_size="9"), "shard_size must be a whole number"),
        (lambda: package.webdataset([], "t.tar"), "pattern must contain {shard}"),
        (lambda: package.webdataset([], "{}-{shard}.tar"), "pattern can only contain {shard}"),
        (lambda: package.webdataset([], "{name}-{shard}.tar"), "pattern can only contain {shard}"),
        (lambda: package.webdataset([], "{shard.tar"), "pattern can only contain {shard}"),
        (lambda: package.webdataset([], "{shard}/t-{shard}.tar"), "pattern must name the files of one folder"),
    ],
)
def test_wrong_options_are_one_kind_of_error(empty_folder: pathlib.Path, call: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()
    assert list(empty_folder.iterdir()) == []


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
    path = facecrop if has_command else "/nowhere/facecrop"
    call = f"facecrop.Cropper(facecrop={path!r}, scratch_dir={str(tmp_path)!r})"
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


def test_workers_end_with_a_dropped_cropper() -> None:
    before = _children()
    descriptors = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        dropped = Cropper()
        dropped.detect(PORTRAIT)
        assert len(_children()) == len(before) + 1
        del dropped
        gc.collect()
    assert _children() == before
    arrays = Cropper(workers=2).chips([PORTRAIT] * 8)
    assert len(next(arrays)) == 1
    assert len(_children()) > len(before)
    del arrays
    gc.collect()
    assert _children() == before
    assert len(os.listdir("/proc/self/fd")) == descriptors


def _children() -> set[str]:
    return {
        pid for task in pathlib.Path("/proc/self/task").iterdir() for pid in (task / "children").read_text().split()
    }


def test_a_missing_scratch_folder_is_an_error_of_facecrop(tmp_path: pathlib.Path) -> None:
    with Cropper(scratch_dir=tmp_path / "none") as cropper, pytest.raises(FaceCropError, match="scratch_dir"):
        cropper.avatar(b"x")
