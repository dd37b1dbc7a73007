import json
import pathlib
import stat
import subprocess
import sys
import textwrap

import pytest

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
    with pytest.warns(UserWarning, match=r"these numbers.*\(facecrop blur --json prints"):
        assert facecrop.blur(PORTRAIT, faces=2, mode="solid", format="png").startswith(b"\x89PNG")


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
