"""Chromium and Firefox without a window, of one interface: the tests of pages look at them in both.

Debian has no geckodriver: Firefox is driven by its own protocol, Marionette, in JSON after its length.
"""
import json
import os
import pathlib
import socket
import subprocess
import tempfile
import time
from typing import Any

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

os.environ["no_proxy"] = "localhost"  # where its driver answers
HEIGHT = 900
START_MAX = 120  # seconds: a machine may be busy


class Chromium:
    def __init__(self) -> None:
        self.profile = tempfile.TemporaryDirectory()
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for word in ("headless", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-background-networking",
                     "disable-component-update", "disable-sync", "hide-scrollbars", f"user-data-dir={self.profile.name}"):
            options.add_argument(f"--{word}")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        self.driver.set_script_timeout(START_MAX)

    def look(self, width: int, scheme: str, medium: str = "screen") -> None:
        """As wide as `width`, for a reader who prefers light or dark, on a screen or in print."""
        devtools = self.driver.execute_cdp_cmd
        devtools("Emulation.setDeviceMetricsOverride", {"width": width, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": width < 600})
        devtools("Emulation.setEmulatedMedia", {"media": medium, "features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def open(self, url: str) -> None:
        self.driver.get(url)

    def ask(self, script: str) -> Any:
        return self.driver.execute_script("return " + script)

    def ask_later(self, script: str) -> Any:
        """What the promise of `script` becomes."""
        return self.driver.execute_async_script(f"{script}.then(arguments[0])")

    def quit(self) -> None:
        self.driver.quit()
        self.profile.cleanup()


class Firefox:
    def __init__(self) -> None:
        self.profile = tempfile.TemporaryDirectory()
        folder = pathlib.Path(self.profile.name)
        (folder / "user.js").write_text("".join(f'user_pref("{name}", {value});\n' for name, value in (
            ("marionette.port", 0), ("datareporting.policy.dataSubmissionEnabled", "false"), ("ui.useOverlayScrollbars", 1))))
        self.process = subprocess.Popen(
            ["/usr/bin/firefox-esr", "--headless", "--marionette", "--remote-allow-system-access", "--no-remote", "--profile", folder],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port, end = folder / "MarionetteActivePort", time.monotonic() + START_MAX
        while not port.is_file() or not port.read_text():
            if time.monotonic() > end or self.process.poll() is not None:
                self.process.kill()
                raise RuntimeError("Firefox does not start")
            time.sleep(0.05)
        self.socket = socket.create_connection(("127.0.0.1", int(port.read_text())))
        self.answers, self.count = self.socket.makefile("rb"), 0
        self.read()  # its greeting
        self.call("WebDriver:NewSession")
        self.call("WebDriver:SetWindowRect", width=1400, height=HEIGHT + 100)

    def read(self) -> Any:
        length = b""
        while (digit := self.answers.read(1)).isdigit():
            length += digit
        return json.loads(self.answers.read(int(length)))

    def call(self, command: str, **parameters: Any) -> Any:
        self.count += 1
        message = json.dumps([0, self.count, command, parameters]).encode()
        self.socket.sendall(b"%d:%b" % (len(message), message))
        _, _, error, result = self.read()
        if error:
            raise RuntimeError(f"{command}: {error['message']}")
        return result

    def look(self, width: int, scheme: str, medium: str = "screen") -> None:
        self.call("Marionette:SetContext", value="chrome")
        self.call("WebDriver:ExecuteScript", args=[width, 0 if scheme == "dark" else 1, "" if medium == "screen" else medium], script="""
            Services.prefs.setIntPref("layout.css.prefers-color-scheme.content-override", arguments[1]);
            const page = gBrowser.selectedBrowser;
            page.browsingContext.mediumOverride = arguments[2];
            for (const name of ["min-width", "max-width"]) page.style.setProperty(name, arguments[0] + "px");""")
        self.call("Marionette:SetContext", value="content")

    def open(self, url: str) -> None:
        self.call("WebDriver:Navigate", url=url)

    def ask(self, script: str) -> Any:
        return self.call("WebDriver:ExecuteScript", script="return " + script, args=[])["value"]

    def ask_later(self, script: str) -> Any:
        return self.call("WebDriver:ExecuteAsyncScript", script=f"{script}.then(arguments[0])", args=[])["value"]

    def quit(self) -> None:
        self.call("Marionette:Quit", flags=["eForceQuit"])
        self.socket.close()
        self.process.wait()
        self.profile.cleanup()
