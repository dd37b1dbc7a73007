import json
import pathlib
import time

import pytest

import facecrop
from facecrop import worker
from samples.fixtures import ends, executable, fails
from samples.pictures import PORTRAIT, encoded, portraits, wall


def test_faces_of_bytes_and_paths_are_hidden() -> None:
    hidden = facecrop.blur(PORTRAIT.read_bytes())
    assert hidden.startswith(b"\xff\xd8")
    assert facecrop.detect(hidden).faces == ()
    assert facecrop.blur(PORTRAIT) == hidden == facecrop.blur(str(PORTRAIT))
    assert facecrop.blur(PORTRAIT, except_faces=None) == hidden  # type: ignore[typeddict-item]
    with fails("unsupported"):
        facecrop.blur(b"no image")


def test_options_reach_the_command() -> None:
    with pytest.warns(UserWarning, match="nothing was hidden"):
        shown = facecrop.blur(PORTRAIT, except_faces=[1])
    assert len(facecrop.detect(shown).faces) == 1
    # The message advises to run the command, whose option keeps its name.
    words = r"the number 2 \(facecrop blur --json prints the numbers\)"
    with pytest.warns(facecrop.PictureWarning, match=words) as found:
        made = facecrop.blur(PORTRAIT, except_faces=2, mode="solid", format="png")
    assert made.startswith(b"\x89PNG")
    # More is hidden than with a number that a face has.
    assert facecrop.detect(made).faces == ()
    assert [warning.message.kind for warning in found] == ["face-number"]  # type: ignore[union-attr]
    assert facecrop.blur(PORTRAIT, faces=1, format="jpg") == facecrop.blur(PORTRAIT, faces=1, format="jpeg")


def test_faces_get_an_image(tmp_path: pathlib.Path) -> None:
    (tmp_path / "mask.png").write_bytes(wall())
    hidden = facecrop.blur(PORTRAIT, mode="image", image=tmp_path / "mask.png")
    assert facecrop.detect(hidden).faces == ()
    assert hidden != facecrop.blur(PORTRAIT)
    with fails("unreadable", "^.*none.png: "):
        facecrop.blur(PORTRAIT, mode="image", image=tmp_path / "none.png")


@pytest.mark.parametrize("numbers", [9, [9], [1, 9], (9, 1)])
def test_a_number_to_hide_that_no_face_has_is_an_error(numbers: int | list[int]) -> None:
    with fails("face-number", r"astronaut\.jpg: there is no face with the number 9"):
        facecrop.blur(PORTRAIT, faces=numbers)


def test_a_number_to_hide_that_is_too_small_is_an_error() -> None:
    pair = encoded(portraits((768, 512), (512, 0, 0), (256, 512, 256), color="gray"))
    large, small = (face.box.height * 512 for face in facecrop.detect(pair).faces)
    assert small < 0.6 * large
    limit = round((large + small) / 2)
    facecrop.blur(pair, faces=1, min_face=limit)
    facecrop.blur(pair, min_face=limit)
    for numbers, least in [([2], limit), ([1, 2], limit), ([1, 2], 500)]:
        with fails("not-hidden", r"hidden \(lower min_face\)$"):
            facecrop.blur(pair, faces=numbers, min_face=least)
    # Nobody was named, so this is no error.
    with pytest.warns(facecrop.PictureWarning, match="nothing was hidden"):
        facecrop.blur(pair, min_face=500)


def test_warnings_have_the_words_of_python(tmp_path: pathlib.Path) -> None:
    (tmp_path / "cut.jpg").write_bytes(PORTRAIT.read_bytes()[:-2])
    with pytest.warns(facecrop.PictureWarning, match="cut.jpg: the end marker is missing") as found:
        assert facecrop.detect(facecrop.blur(tmp_path / "cut.jpg", allow_truncated=True)).faces == ()
    assert [warning.filename for warning in found] == [__file__]
    # Advice that Python cannot follow is left out.
    with pytest.warns(facecrop.PictureWarning, match="^no face was found; nothing was hidden$"):
        facecrop.blur(wall())
    picture = encoded(portraits((512, 512), (512, 0, 0)))
    with pytest.warns(facecrop.PictureWarning, match="^quality was ignored, because the output is PNG"):
        facecrop.blur(picture, quality=80)


def test_names_cannot_be_options(tmp_path: pathlib.Path) -> None:
    program = 'import sys\nsys.stdout.write(sys.argv[-2] + " " + sys.argv[-1])\n'
    assert facecrop.blur("-x.jpg", facecrop=executable(tmp_path / "stub", program)) == b"-- ./-x.jpg"


def test_a_cropper_hides_faces_with_its_own_settings() -> None:
    with facecrop.Cropper(workers=1) as cropper:
        options = {"mode": "solid", "format": "png"}
        for picture in (PORTRAIT, PORTRAIT.read_bytes()):
            assert cropper.blur(picture, **options) == facecrop.blur(picture, **options)  # type: ignore[arg-type]
        with pytest.warns(facecrop.PictureWarning, match="nothing was hidden") as found:
            cropper.blur(PORTRAIT, except_faces=1)
        assert [warning.filename for warning in found] == [__file__]
    with pytest.raises(facecrop.FaceCropError, match="the cropper is closed"):
        cropper.blur(PORTRAIT)


def test_a_frozen_process_is_an_error_in_time(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "_MARGIN", 0.5)
    stub = executable(tmp_path / "stub", f"sleep 20 & echo $! > {tmp_path}/pid; wait\n", "/bin/sh")
    start = time.monotonic()
    with fails("limit", r"no response came within 1 s.* raise timeout\)", retryable=True):
        facecrop.blur(PORTRAIT, facecrop=stub, timeout=0.5)
    assert time.monotonic() - start < 10
    assert ends(int((tmp_path / "pid").read_text()), 10)


@pytest.mark.parametrize("is_retryable", [True, False])
def test_transient_errors_may_be_retried(tmp_path: pathlib.Path, is_retryable: bool) -> None:
    event = {"event": "error", "kind": "limit", "message": "9 s of work exceed the limit", "retryable": is_retryable}
    program = executable(tmp_path / "facecrop", f"echo '{json.dumps(event)}' >&2\nexit 1\n", "/bin/sh")
    with facecrop.Cropper(facecrop=program) as cropper, fails("limit", retryable=is_retryable):
        cropper.blur(PORTRAIT)
