"""A headless Chromium, driven through chromedriver by the WebDriver protocol."""

import json
import re
import shutil
import subprocess
import urllib.error
import urllib.request

ENTER = "\ue007"
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


def is_there():
    return shutil.which("chromedriver") is not None and shutil.which("chromium") is not None


class Browser:
    """Close it: it is two programs."""

    def __init__(self):
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                       text=True)
        for line in self.driver.stdout:
            started = re.search(r"started successfully on port (\d+)", line)
            if started:
                break
        else:
            raise RuntimeError("chromedriver did not start")
        self.at = f"http://127.0.0.1:{started.group(1)}"
        self.session = ""
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        options = {"args": arguments, "binary": shutil.which("chromium")}
        capabilities = {"browserName": "chrome", "goog:chromeOptions": options,
                        "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        try:
            made = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
        except BaseException:
            self.close()
            raise
        self.session = f"/session/{made['sessionId']}"

    def close(self):
        try:
            if self.session:
                self.ask("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()
            self.driver.stdout.close()

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.at + (self.session or "") + path, method=method, data=data,
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as refused:
            message = json.load(refused)["value"]["message"]
            raise RuntimeError(f"the browser refused {method} {path}: {message}") from refused

    def devtools(self, command, **parameters):
        return self.ask("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def show(self, page, width, scheme="light"):
        """Opens a file at this width; its charts are drawn when this returns."""
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.ask("POST", "/url", {"url": page.as_uri()})
        self.wait_for_charts()

    def wait_for_charts(self):
        self.ask("POST", "/execute/async", {"args": [], "script": """
            const done = arguments[0];
            Promise.all(Object.values(views).map(view => view.runAsync())).then(() => done(true));"""})

    def run(self, script, *arguments):
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def press(self, selector, keys):
        found = self.ask("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]
        self.ask("POST", f"/element/{found}/value", {"text": keys})

    def complaints(self):
        """What the console said since the last call."""
        return [entry["message"] for entry in self.ask("POST", "/se/log", {"type": "browser"})]

    def requests(self):
        """Addresses asked for since the last call."""
        asked = []
        for entry in self.ask("POST", "/se/log", {"type": "performance"}):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                asked.append(message["params"]["request"]["url"])
        return asked
