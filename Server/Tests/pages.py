"""Servers, keys, and screenshots for the browser tests of the server's pages."""

import base64
import os
import re
import subprocess
import sys
import time

root = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
sys.path.insert(0, os.path.join(root, "Tests/Report"))
from chromium import Page  # noqa: E402, F401
from started import Started  # noqa: E402


class Server(Started):
    """A server, and the URL of its page that it prints, unless it has a token of ours."""

    def __init__(self, program, *settings, environment=None):
        super().__init__([program, "--port", "0", *settings], environment, stdout=subprocess.PIPE)
        if "--playground-token" not in settings:
            self.url = self.process.stdout.readline().decode().removeprefix("Open ").strip()


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


# The colors of all texts in sight, and the least contrast that they need. Texts over images, and controls that are off,
# do not count.
FAINT = """(() => {
  const parsed = text => {
    const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number);
    return { r, g, b, a };
  };
  const over = (top, below) => {
    const mix = name => top[name] * top.a + below[name] * (1 - top.a);
    return { r: mix("r"), g: mix("g"), b: mix("b"), a: 1 };
  };
  const linear = c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const light = ({ r, g, b }) => [r, g, b].map(c => linear(c / 255))
    .reduce((sum, c, index) => sum + c * [0.2126, 0.7152, 0.0722][index], 0);
  const ground = element => {
    if (!element) return { r: 255, g: 255, b: 255, a: 1 };
    const color = parsed(getComputedStyle(element).backgroundColor);
    return color.a === 1 ? color : over(color, ground(element.parentElement));
  };
  const root = document.querySelector("dialog[open]") || document.body;
  const found = [];
  for (const element of root.querySelectorAll("*")) {
    if (element.closest("svg") || element.matches(":disabled") || !element.getClientRects().length) continue;
    const texts = [...element.childNodes].filter(node => node.nodeType === 3 && node.textContent.trim());
    if (!texts.length && !element.matches("input, select")) continue;
    const style = getComputedStyle(element);
    if (style.visibility !== "visible" || element.closest(".hidden, noscript, option")) continue;
    const below = ground(element);
    let alpha = 1;
    for (let part = element; part; part = part.parentElement) alpha *= Number(getComputedStyle(part).opacity);
    const color = parsed(style.color);
    const [one, other] = [light(over({ ...color, a: color.a * alpha }, below)), light(below)];
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    const size = parseFloat(style.fontSize);
    const least = size >= 24 || size >= 18.66 && Number(style.fontWeight) >= 700 ? 3 : 4.5;
    if (ratio < least) found.push(`${element.tagName} ${element.id || element.className}: ${ratio.toFixed(2)}`);
  }
  return found;
})()"""


def faults(page):
    """Returns the faults of the page by WCAG AA, in light and dark, on a desktop and a phone.

    Controls have names, texts have contrast, the page has one main part and one title, and it fits its width.
    """
    found = [f"a {role} has no name" for role in unnamed(page)]
    nodes = page.call("Accessibility.getFullAXTree")["nodes"]
    roles = [node["role"]["value"] for node in nodes if not node.get("ignored")]
    wanted = ["dialog"] if "dialog" in roles else ["main", "heading"]
    found += [f"there is no {role}" for role in wanted if role not in roles]
    if "main" in wanted and roles.count("main") != 1:
        found.append(f"{roles.count('main')} main parts")
    found += [
        f"a picture has no text: {name}"
        for name in page.value("[...document.querySelectorAll('img:not([alt])')].map(image => image.src)")
    ]
    for scheme in ("light", "dark"):
        page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        for width in (1300, 390):
            page.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
            page.wait(f"innerWidth === {width}")
            found += [f"{scheme}, {width} pixels: {text}" for text in page.value(FAINT)]
            shown = "(document.querySelector('dialog[open]') || document.documentElement)"
            if not page.value(f"{shown}.scrollWidth <= innerWidth"):
                found.append(f"it scrolls sideways at {width} pixels")
    page.call("Emulation.setEmulatedMedia", features=[])
    page.call("Emulation.setDeviceMetricsOverride", width=1300, height=1000, deviceScaleFactor=1, mobile=False)
    return found


def lost_focus(page, count):
    """Presses Tab, and returns what takes the focus out of the page's order, or without a mark."""
    page.value("document.activeElement.blur(); window.passed = []")
    for _ in range(count):
        page.call("Input.dispatchKeyEvent", type="keyDown", key="Tab", windowsVirtualKeyCode=9)
        page.call("Input.dispatchKeyEvent", type="keyUp", key="Tab", windowsVirtualKeyCode=9)
        # A hidden control is marked by its label.
        page.value(
            "passed.push({ element: document.activeElement, isMarked: [document.activeElement,"
            "document.activeElement.previousElementSibling]"
            ".some(part => part && getComputedStyle(part).outlineStyle !== 'none') })"
        )
    return page.value(
        "passed.map(({ element, isMarked }, index) => {"
        "const name = element.id || element.textContent.trim().slice(0, 20) || element.tagName;"
        "if (element === document.body) return index < 3 && 'nothing';"
        "if (!isMarked) return `${name} without a mark`;"
        "const before = passed[index - 1]?.element;"
        "if (before && before !== document.body && !(before.compareDocumentPosition(element) & 4))"
        "  return `${name} out of order`;"
        "}).filter(Boolean)"
    )


def tap(page, selector):
    """Touches the middle of an element."""
    x, y = page.middle(selector)
    page.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
    page.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])


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
