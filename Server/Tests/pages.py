"""Servers, keys, and screenshots for the browser tests of the server's pages."""

import base64
import os
import re
import subprocess
import sys
import threading
import time

root = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
sys.path.insert(0, os.path.join(root, "Tests/Report"))
from chromium import Page  # noqa: E402, F401


class Server:
    """A server on a free port."""

    def __init__(self, program, *settings, environment=None):
        self.process = subprocess.Popen(
            [program, "--port", "0", *settings],
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **(environment or {})},
        )
        said = []
        for line in self.process.stderr:
            said.append(line)
            found = re.search(r"listening on (?:127\.0\.0\.1|\S+?):(\d+)", line)
            if found:
                self.port = int(found.group(1))
                threading.Thread(target=lambda: [None for _ in self.process.stderr], daemon=True).start()
                return
        raise SystemExit(f"the server does not start: {''.join(said)}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def shots(page, folder, name, whole=False):
    """Takes screenshots of the window or the whole page: light and dark, desktop and phone. Without a folder, none."""
    if not folder:
        return
    for scheme in ("light", "dark"):
        page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        for size, width in (("desktop", 1300), ("phone", 390)):
            page.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
            time.sleep(0.3)
            data = page.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
            with open(os.path.join(folder, f"{name}-{scheme}-{size}.png"), "wb") as file:
                file.write(base64.b64decode(data))
    page.call("Emulation.setDeviceMetricsOverride", width=1300, height=1000, deviceScaleFactor=1, mobile=False)
    page.call("Emulation.setEmulatedMedia", features=[])


def unnamed(page):
    """Returns the roles of all elements that take the focus and have no name."""
    page.call("Accessibility.enable")
    nodes = page.call("Accessibility.getFullAXTree")["nodes"]
    return [
        node["role"]["value"]
        for node in nodes
        if not node.get("ignored")
        and not node.get("name", {}).get("value")
        and any(p["name"] == "focusable" and p["value"].get("value") for p in node.get("properties", []))
        and node["role"]["value"] != "RootWebArea"
    ]


def luminance(color):
    channels = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    """Returns the contrast of two colors by WCAG 2.2."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def themes(css):
    """Returns the colors of a style sheet's light and dark theme by their names."""
    parts = re.findall(r":root \{(.*?)\}", css, re.S)
    light = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})\b", parts[0]))
    return light, {**light, **dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})\b", parts[1]))}
