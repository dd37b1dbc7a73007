"""What was measured with. Names no machine and no folder."""

import datetime
import importlib.metadata
import os
import pathlib
import platform
import re
import subprocess


PYTHON_TOOLS = ("autocrop", "thumbor", "opencv-python-headless")


def environment(program: str, tools: bool = True) -> dict:
    """`tools` are those that `make compare` alone runs."""
    cpu = re.search(r"^model name\s*:\s*(.+)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return {
        "date": datetime.date.today().isoformat(),
        "processor": cpu[1] if cpu else platform.machine(),
        "processors": os.cpu_count(),
        # What else ran when this began.
        "load": round(os.getloadavg()[0], 2),
        "system": platform.freedesktop_os_release()["PRETTY_NAME"],
        "versions": {
            "facecrop": _first_line(program, "--version"),
            **({name: importlib.metadata.version(name) for name in PYTHON_TOOLS} if tools else {}),
            "Python": platform.python_version(),
            "vipsthumbnail": _debian("libvips-tools"),
            "djpeg": _debian("libjpeg-turbo-progs"),
            "hyperfine": _debian("hyperfine"),
            "GNU time": _debian("time"),
        },
    }


def _debian(package: str) -> str:
    """Nothing where it is not installed."""
    words = ["dpkg-query", "-W", "-f", "${Version}", package]
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout


def _first_line(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")[0]
