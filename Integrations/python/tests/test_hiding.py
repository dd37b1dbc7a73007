import json
import pathlib
import subprocess
import sys
import time
import warnings
from collections.abc import Callable

import pytest

import facecrop
from facecrop import command, worker
from samples.fixtures import executable
from samples.pictures import PORTRAIT, encoded, portraits, wall


def faces(jpeg: bytes) -> list[object]:
    line = subprocess.run([command.find(), "detect", "-"], input=jpeg, capture_output=True, check=True).stdout
    return json.loads(line)["faces"]


def test_faces_of_bytes_and_paths_are_hidden() -> None:
    hidden = facecrop.blur(PORTRAIT.read_bytes())
    assert hidden.startswith(b"\xff\xd8")
    assert faces(hidden) == []
    assert facecrop.blur(PORTRAIT) == hidden == facecrop.blur(str(PORTRAIT))


def test_options_reach_the_command() -> None:
    with pytest.warns(UserWarning, match="nothing was hidden"):
        shown = facecrop.blur(PORTRAIT, except_faces=[1])
    assert len(faces(shown)) == 1
    # The message advises to run the command, whose option keeps its name.
    with pytest.warns(facecrop.PictureWarning, match=r"the number 2 \(facecrop blur --json prints the numbers\)"):
        made = facecrop.blur(PORTRAIT, except_faces=2, mode="solid", format="png")
    assert made.startswith(b"\x89PNG")
    assert facecrop.blur(PORTRAIT, faces=1, format="jpg") == facecrop.blur(PORTRAIT, faces=1, format="jpeg")


@pytest.mark.parametrize("numbers", [9, [9], [1, 9], (9, 1)])
def test_a_number_to_hide_that_no_face_has_is_an_error(numbers: int | list[int]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(
            facecrop.PictureError, match=r"astronaut\.jpg: there is no face with the number 9"
        ) as raised:
            facecrop.blur(PORTRAIT, faces=numbers)
    assert raised.value.kind == "face-number"
    # More is hidden than with a number that a face has.
    with pytest.warns(facecrop.PictureWarning, match="the number 9") as found:
        hidden = facecrop.blur(PORTRAIT, except_faces=9)
    assert faces(hidden) == []
    assert [warning.message.kind for warning in found] == ["face-number"]  # type: ignore[union-attr]


def test_a_number_to_hide_that_is_too_small_is_an_error() -> None:
    pair = encoded(portraits((768, 512), (512, 0, 0), (256, 512, 256), color="gray"))
    large, small = (face.box.height * 512 for face in facecrop.detect(pair).faces)
    assert small < 0.6 * large
    limit = round((large + small) / 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        facecrop.blur(pair, faces=1, min_face=limit)
        facecrop.blur(pair, min_face=limit)
        for numbers, least in [([2], limit), ([1, 2], limit), ([1, 2], 500)]:
            with pytest.raises(facecrop.PictureError, match=r"hidden \(lower min_face\)$") as raised:
                facecrop.blur(pair, faces=numbers, min_face=least)
            assert raised.value.kind == "not-hidden"
    # Nobody was named, so this is no error.
    with pytest.warns(facecrop.PictureWarning, match="nothing was hidden"):
        facecrop.blur(pair, min_face=500)


def test_each_warning_is_given_also_of_a_success(tmp_path: pathlib.Path) -> None:
    (tmp_path / "cut.jpg").write_bytes(PORTRAIT.read_bytes()[:-2])
    with pytest.warns(facecrop.PictureWarning, match="cut.jpg: the end marker is missing") as found:
        assert faces(facecrop.blur(tmp_path / "cut.jpg", allow_truncated=True)) == []
    assert [warning.filename for warning in found] == [__file__]


def test_advice_that_python_cannot_follow_is_left_out() -> None:
    with pytest.warns(facecrop.PictureWarning, match="^no face was found; nothing was hidden$"):
        facecrop.blur(wall())


def test_options_in_warnings_have_their_names_in_python() -> None:
    picture = encoded(portraits((512, 512), (512, 0, 0)))
    with pytest.warns(facecrop.PictureWarning, match="^quality was ignored, because the output is PNG"):
        facecrop.blur(picture, quality=80)


def test_no_excepted_faces_are_the_default() -> None:
    assert facecrop.blur(PORTRAIT, except_faces=None) == facecrop.blur(PORTRAIT)  # type: ignore[typeddict-item]
    with pytest.raises(ValueError, match=r"^except_faces 'x' is not valid"):
        facecrop.blur(PORTRAIT, except_faces="x")  # type: ignore[arg-type]


def test_faults_are_errors(tmp_path: pathlib.Path) -> None:
    with pytest.raises(facecrop.PictureError) as fault:
        facecrop.blur(b"no image")
    assert fault.value.kind == "unsupported"
    with pytest.raises(ValueError, match="margin"):
        facecrop.blur(PORTRAIT, margin=7)
    with pytest.raises(ValueError, match="size"):
        facecrop.blur(PORTRAIT, size=3)  # type: ignore[call-arg]
    with pytest.raises(
        facecrop.WorkerError, match=r"missing cannot be started: No such .* \(install facecrop, .*FACECROP"
    ):
        facecrop.blur(PORTRAIT, facecrop=str(tmp_path / "missing"))
    with pytest.raises(facecrop.PictureError, match="the name of the image is empty"):
        facecrop.blur("")


def test_names_cannot_be_options(tmp_path: pathlib.Path) -> None:
    program = f'#!{sys.executable}\nimport sys\nsys.stdout.write(sys.argv[-2] + " " + sys.argv[-1])\n'
    assert facecrop.blur("-x.jpg", facecrop=executable(tmp_path / "stub", program)) == b"-- ./-x.jpg"


def test_a_cropper_hides_faces_with_its_own_settings(tmp_path: pathlib.Path) -> None:
    with facecrop.Cropper(facecrop=command.find(), workers=1) as cropper:
        options = {"mode": "solid", "format": "png"}
        for picture in (PORTRAIT, PORTRAIT.read_bytes()):
            assert cropper.blur(picture, **options) == facecrop.blur(picture, **options)  # type: ignore[arg-type]
        with pytest.warns(facecrop.PictureWarning, match="nothing was hidden") as found:
            cropper.blur(PORTRAIT, except_faces=1)
        assert [warning.filename for warning in found] == [__file__]
        with pytest.raises(ValueError, match=r"timeout is not an option of blur \(pass it to Cropper"):
            cropper.blur(PORTRAIT, timeout=5)  # type: ignore[call-arg]
    with pytest.raises(facecrop.FaceCropError, match="the cropper is closed"):
        cropper.blur(PORTRAIT)
    with (
        facecrop.Cropper(facecrop=str(tmp_path / "missing")) as cropper,
        pytest.raises(facecrop.WorkerError, match="missing cannot be started"),
    ):
        cropper.blur(PORTRAIT)


def test_a_frozen_process_is_an_error_in_time(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, ends: Callable[[int, float], bool]
) -> None:
    monkeypatch.setattr(worker, "_MARGIN", 0.5)
    stub = executable(tmp_path / "stub", f"#!/bin/sh\nsleep 20 & echo $! > {tmp_path}/pid; wait\n")
    start = time.monotonic()
    with pytest.raises(facecrop.PictureError, match=r"no response came within 1 s.* raise timeout\)") as raised:
        facecrop.blur(PORTRAIT, facecrop=stub, timeout=0.5)
    assert time.monotonic() - start < 10
    assert (raised.value.kind, raised.value.retryable) == ("limit", True)
    pid = int((tmp_path / "pid").read_text())
    assert ends(pid, 10)


@pytest.mark.parametrize("is_retryable", [True, False])
def test_transient_errors_may_be_retried(tmp_path: pathlib.Path, is_retryable: bool) -> None:
    event = {"event": "error", "kind": "limit", "message": "9 s of work exceed the limit", "retryable": is_retryable}
    program = executable(tmp_path / "facecrop", f"#!/bin/sh\necho '{json.dumps(event)}' >&2\nexit 1\n")
    with facecrop.Cropper(facecrop=program) as cropper, pytest.raises(facecrop.PictureError) as caught:
        cropper.blur(PORTRAIT)
    assert caught.value.retryable is is_retryable
