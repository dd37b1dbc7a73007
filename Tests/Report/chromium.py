"""Headless Chromium, driven by its own protocol over a pipe, without a driver or library."""

import base64
import json
import os
import subprocess
import tempfile
import time


class Page:
    """A page in a new browser."""

    def __init__(self, address, downloads, size=(1300, 1000)):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_browser, self.writing = os.pipe()
        self.reading, from_browser = os.pipe()

        def place():
            os.dup2(to_browser, 3)
            os.dup2(from_browser, 4)

        # Both ends must differ from 3 and 4 before they are moved there.
        to_browser, from_browser = [os.dup2(end, 60 + n) for n, end in enumerate((to_browser, from_browser))]
        self.browser = subprocess.Popen(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
             f"--user-data-dir={self.profile.name}", f"--window-size={size[0]},{size[1]}"],
            preexec_fn=place, pass_fds=(3, 4), stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.number = 0
        self.session = None
        self.unread = b""
        self.errors = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=False)
        self.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=downloads)
        self.open(address)

    def open(self, address):
        self.call("Page.navigate", url=address)
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'")

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session and not method.startswith(("Target.", "Browser.")):
            message["sessionId"] = self.session
        os.write(self.writing, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def _next(self):
        while b"\0" not in self.unread:
            more = os.read(self.reading, 1 << 20)
            if not more:
                raise RuntimeError("the browser has ended")
            self.unread += more
        line, self.unread = self.unread.split(b"\0", 1)
        answer = json.loads(line)
        if answer.get("method") == "Runtime.exceptionThrown":
            self.errors.append(answer["params"]["exceptionDetails"]["exception"].get("description", "?"))
        if answer.get("method") == "Log.entryAdded" and answer["params"]["entry"]["level"] == "error":
            self.errors.append(answer["params"]["entry"]["text"])
        return answer

    def value(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"].get("description", expression))
        return answer["result"].get("value")

    def wait(self, condition, seconds=30):
        end = time.monotonic() + seconds
        while not self.value(condition):
            if time.monotonic() > end:
                raise AssertionError(f"never true: {condition}")
            time.sleep(0.02)

    def middle(self, selector):
        """Returns the middle of an element in the window, scrolled into view and drawn there, so that it takes clicks."""
        return tuple(self.value(
            f"(async () => {{ const element = document.querySelector({json.dumps(selector)});"
            "element.scrollIntoView({ block: 'nearest' });"
            "await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))); const box = element.getBoundingClientRect();"
            "return [box.x + box.width / 2, box.y + box.height / 2]; })()"))

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def resting_middle(self, selector):
        """Returns the middle of an element once it no longer moves, as it does while an image above it loads."""
        place = self.middle(selector)
        for _ in range(100):
            time.sleep(0.05)
            before, place = place, self.middle(selector)
            if place == before:
                break
        return place

    def click(self, where):
        x, y = self.resting_middle(where) if isinstance(where, str) else where
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", buttons=0, clickCount=1)

    def drag(self, start, end, steps=8, **more):
        self.mouse("mouseMoved", *start, **more)
        self.mouse("mousePressed", *start, button="left", buttons=1, clickCount=1, **more)
        for step in range(1, steps + 1):
            part = step / steps
            self.mouse("mouseMoved", start[0] + (end[0] - start[0]) * part, start[1] + (end[1] - start[1]) * part, buttons=1, **more)
        self.mouse("mouseReleased", *end, button="left", buttons=0, clickCount=1, **more)

    def fingers(self, kind, *places):
        """Sends a touchStart, touchMove, touchEnd or touchCancel, with the places of all fingers that are down."""
        points = [{"x": x, "y": y, "id": finger} for finger, (x, y) in enumerate(places)]
        self.call("Input.dispatchTouchEvent", type=kind, touchPoints=points)

    def touch(self, start, end, steps=8, last="touchEnd"):
        """Moves a finger, and lifts it, unless `last` is another event or none."""
        self.fingers("touchStart", start)
        for step in range(1, steps + 1):
            self.fingers("touchMove", [a + (b - a) * step / steps for a, b in zip(start, end)])
        if last:
            self.fingers(last)

    def wheel(self, x, y, by):
        self.mouse("mouseWheel", x, y, deltaX=0, deltaY=by)

    def key(self, key, shift=False):
        modifiers = 8 if shift else 0
        text = {"text": key} if len(key) == 1 else {}
        codes = {"Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Enter": 13}
        code = {"windowsVirtualKeyCode": codes[key]} if key in codes else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, modifiers=modifiers, **text, **code)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, modifiers=modifiers, **code)

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def close(self):
        self.browser.kill()
        self.browser.wait()
        self.profile.cleanup()
