import io
import json
import pathlib
import stat
import subprocess
import sys
import textwrap

import pytest
from PIL import Image

import facecrop
from facecrop import command
from samples.pictures import REPOSITORY

PORTRAIT = REPOSITORY / "Tests/Fixtures/astronaut.jpg"


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
    with pytest.warns(facecrop.PictureWarning) as found:
        assert facecrop.blur(PORTRAIT, faces=2, mode="solid", format="png").startswith(b"\x89PNG")
    messages = [str(warning.message) for warning in found]
    assert ["the number 2" in messages[0], "nothing was hidden" in messages[1]] == [True, True]
    assert all(message.endswith("(in a shell, facecrop blur --json prints the numbers)") for message in messages)


def test_each_warning_is_given_also_of_a_success(tmp_path: pathlib.Path) -> None:
    (tmp_path / "cut.jpg").write_bytes(PORTRAIT.read_bytes()[:-2])
    with pytest.warns(facecrop.PictureWarning, match="cut.jpg: the end marker is missing") as found:
        assert faces(facecrop.blur(tmp_path / "cut.jpg", allow_truncated=True)) == []
    assert [warning.filename for warning in found] == [__file__]


def test_advice_that_python_cannot_follow_is_left_out() -> None:
    wall = io.BytesIO()
    Image.new("RGB", (64, 64), "gray").save(wall, "PNG")
    with pytest.warns(facecrop.PictureWarning, match="^no face was found; nothing was hidden$"):
        facecrop.blur(wall.getvalue())


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
    with pytest.raises(facecrop.WorkerError):
        facecrop.blur(PORTRAIT, facecrop=str(tmp_path / "missing"))


def test_names_cannot_be_options(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stub = tmp_path / "stub"
    stub.write_text(
        f"#!{sys.executable}\n"
        + textwrap.dedent("""
        import sys
        sys.stdout.write(sys.argv[-2] + " " + sys.argv[-1])
    """)
    )
    stub.chmod(stub.stat().st_mode | stat.S_IXUSR)
    assert facecrop.blur("-x.jpg", facecrop=str(stub)) == b"-- ./-x.jpg"
