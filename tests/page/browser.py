"""Chromium without a window, driven over its own protocol by a pipe: clicks, keys and screenshots are real ones."""
import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

KEYS = {"Enter": (13, "\r"), "Tab": (9, ""), "ArrowLeft": (37, ""), "ArrowUp": (38, ""), "ArrowRight": (39, ""),
        "ArrowDown": (40, ""), "Escape": (27, "")}

LIMIT = 120  # seconds that anything may take, also where the machine has other work; nothing is told by them


class Browser:
    def __init__(self, width=1280, height=900):
        self.folder = tempfile.mkdtemp()
        read_end, self.write = (fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in os.pipe())
        self.read, write_end = (fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in os.pipe())

        def place_pipes():  # Chromium reads from 3 and writes to 4
            os.dup2(read_end, 3)
            os.dup2(write_end, 4)

        program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run",
             "--disable-background-networking", "--hide-scrollbars", f"--user-data-dir={self.folder}", "about:blank"],
            preexec_fn=place_pipes, pass_fds=(3, 4), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(read_end), os.close(write_end)
        self.waiting, self.count, self.session = b"", 0, None
        self.problems = []  # errors of the console
        self.downloads = tempfile.mkdtemp()
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "DOM"):
            self.call(domain + ".enable")
        self.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=self.downloads)
        self.size(width, height)

    def close(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.rmtree(self.downloads, ignore_errors=True)

    # ---- the protocol ----
    def call(self, method, **parameters):
        self.count += 1
        number = self.count
        message = {"id": number, "method": method, "params": parameters}
        if self.session and not method.startswith(("Browser.", "Target.")):
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.write, data):]
        while True:
            answer = self.receive(LIMIT)
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def receive(self, seconds):
        end = time.monotonic() + seconds
        while b"\0" not in self.waiting:
            if not select.select([self.read], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError("Chromium did not answer")
            self.waiting += os.read(self.read, 1 << 20)
        message, self.waiting = self.waiting.split(b"\0", 1)
        message = json.loads(message)
        self.note(message)
        return message

    def note(self, message):
        given = message.get("params", {})
        if message.get("method") == "Runtime.exceptionThrown":
            details = given["exceptionDetails"]
            self.problems.append(details.get("exception", {}).get("description", details["text"]))
        if message.get("method") == "Runtime.consoleAPICalled" and given["type"] in ("error", "warning", "assert"):
            self.problems.append(" ".join(str(a.get("value", a.get("description"))) for a in given["args"]))
        if message.get("method") == "Log.entryAdded" and given["entry"]["level"] in ("error", "warning"):
            self.problems.append(given["entry"]["text"])

    # ---- what a person does ----
    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)

    def theme(self, name):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def open(self, address):
        self.call("Page.navigate", url=address)

    def click(self, selector):
        """Where the element stands still; a page that draws between pressing and releasing is clicked again."""
        for _ in range(5):
            x, y = self.still(selector)
            self.mouse("mousePressed", x, y)
            self.mouse("mouseReleased", x, y)
            if self.script("window.clickArrived"):
                return
        raise RuntimeError(f"expected a click to reach {selector}, got none")

    def still(self, selector):
        """The middle of the element, once two frames in a row show it at one place; the next click on it will be noted."""
        return self.script("""new Promise((done, failed) => {
          const element = document.querySelector(%s);
          if (!element) return failed(new Error("expected an element, got none"));
          window.clickArrived = false;
          element.addEventListener("click", () => { window.clickArrived = true; }, {once: true, capture: true});
          element.scrollIntoView({block: "center"});
          let last = "";
          requestAnimationFrame(function look() {
            const {x, y, width, height} = element.getBoundingClientRect(), now = `${x} ${y} ${width} ${height}`;
            if (now === last) return done([x + width / 2, y + height / 2]);
            last = now;
            requestAnimationFrame(look);
          });
        })""" % json.dumps(selector))

    def mouse(self, kind, x, y):
        pressed = {"button": "left", "clickCount": 1} if kind != "mouseMoved" else {}
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **pressed)

    def hover(self, x, y):
        self.mouse("mouseMoved", x, y)

    def key(self, name):
        code, text = KEYS[name]
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name, windowsVirtualKeyCode=code,
                      **({"text": text} if text and kind == "keyDown" else {}))

    def type(self, selector, text):
        self.click(selector)
        self.script("document.activeElement.select?.()")
        self.call("Input.insertText", text=text)
        self.key("Enter")

    # ---- what a person sees ----
    def script(self, code):
        answer = self.call("Runtime.evaluate", expression=code, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"].get("description"))
        return answer["result"].get("value")

    def box(self, selector):
        return self.script("(r => [r.x, r.y, r.width, r.height])(document.querySelector(%s).getBoundingClientRect())"
                           % json.dumps(selector))

    def text(self, selector):
        return self.script("document.querySelector(%s)?.textContent ?? ''" % json.dumps(selector))

    def wait(self, condition, seconds=LIMIT):
        """Until the script is true; the page is asked again whenever it has drawn."""
        end = time.monotonic() + seconds
        while True:
            found = self.script(f"new Promise(r => requestAnimationFrame(() => r({condition})))")
            if found:
                return found
            if time.monotonic() > end:
                raise TimeoutError(f"expected {condition}; the page says {self.text('main')[:300]!r}, "
                                   f"its console {self.problems}")

    def wait_for(self, condition, what, seconds=LIMIT):
        """The same for something outside of the page."""
        end = time.monotonic() + seconds
        while not condition():
            self.script("new Promise(requestAnimationFrame)")
            if time.monotonic() > end:
                raise TimeoutError(f"expected {what}, got none")

    def screenshot(self, path):
        """The whole page, in a window as tall as it is: the protocol's own way changes the width for a moment, and views are drawn anew."""
        width, height, tall = self.script("[innerWidth, innerHeight, document.scrollingElement.scrollHeight]")
        self.size(width, max(height, tall))
        data = self.call("Page.captureScreenshot", format="png")["data"]
        self.size(width, height)
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
