"""The suites of tests that belong to a source file, for Tests/quick and Tests/Mutations/random."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[1]

# The tests of each target, as the beginnings of their files' paths.
TESTS = {
    "CBasics": ["FaceCropTests/Codecs/HeaderWork", "FaceCropTests/Requests/LongWork"],
    "CColorShim": ["FaceCropTests/Color"],
    "CGIFShim": ["FaceCropTests/Codecs/GIF"],
    "CHEIFShim": ["FaceCropTests/Codecs/HEIF"],
    "CHash": ["FaceCropTests/Basics/ContentHash"],
    "CJPEGShim": ["FaceCropTests/Codecs/JPEG"],
    "CJXLShim": ["FaceCropTests/Codecs/JXL"],
    "CMallocShim": ["FaceCropCLITests/Estimate"],
    "CMatting": ["FaceCropTests/Backgrounds"],
    "CNetworks": ["FaceCropTests/Detection"],
    "COpenCVShim": ["FaceCropTests/Detection", "FaceCropTests/Pixels"],
    "CPNGShim": ["FaceCropTests/Codecs/PNG"],
    "CResampling": ["FaceCropTests/Pixels"],
    "CTIFFShim": ["FaceCropTests/Codecs/TIFF"],
    "CWebPShim": ["FaceCropTests/Codecs/WebP"],
    "CXMLShim": ["FaceCropTests/Codecs/XML", "FaceCropTests/Codecs/Credits"],
    "FaceCrop": ["FaceCropTests/"],
    "FaceCropRecords": [
        *("FaceCropCLITests/JSONObject", "FaceCropCLITests/Batch/Report", "FaceCropCLITests/OptionFacts"),
        *("FaceCropCLITests/Usage", "FaceCropCLITests/FormerNames", "FaceCropCLITests/Help"),
    ],
    "facecrop": ["FaceCropCLITests/"],
}

# The suites that run most of the library, and of the command.
WHOLE = {"FaceCrop": "FaceCropTests.FaceCropperTests", "facecrop": "FaceCropCLITests.FirstDayTests"}


def suites_in(path: pathlib.Path) -> set[str]:
    """Returns the names of a test file's suites, with their target: FaceCropTests.OrientationTests."""
    declared = re.findall(
        r"^ *(?:@Suite[^\n]*?\s)?(?:@safe )?(?:final class|struct|actor) (\w+Tests)\b", path.read_text(), re.M)
    return {f"{path.relative_to(ROOT / 'Tests').parts[0]}.{name}" for name in declared}


def test_files(source: str) -> list[pathlib.Path]:
    """Returns the test files of a source file: for one of the library or the command, those of the same folder, or of
    the next one above that has any. The files at the top have no folder."""
    _, target, *inside = source.split("/")
    paths = sorted((ROOT / "Tests").glob("FaceCrop*Tests/**/*.swift"))
    if target not in ("FaceCrop", "facecrop"):
        begins = tuple(f"{ROOT}/Tests/{part}" for part in TESTS.get(target, []))
        return [path for path in paths if str(path).startswith(begins)]
    base = ROOT / "Tests" / TESTS[target][0]
    for length in range(len(inside) - 1, 0, -1):
        folder = base.joinpath(*inside[:length])
        if folder.is_dir():
            return [path for path in paths if folder in path.parents]
    return [path for path in paths if path.parent == base]
