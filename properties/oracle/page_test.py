#!/usr/bin/python3
"""The page that `report -o` writes, looked at in Chromium: what it asks for, what it says, how it looks.

    page_test.py --bin build/release/bin

Screenshots go to page_screenshots beside the programs' folder: light, dark, and as wide as a phone.
"""
import base64
import collections
import functools
import html.parser
import json
import math
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib
from collections.abc import Sequence
from typing import Any

from selenium import webdriver

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "test_ports"))
sys.dont_write_bytecode = True
import broken  # noqa: E402
import foreign_texts  # noqa: E402
import reporting  # noqa: E402
import running  # noqa: E402
import says  # noqa: E402
from browsers import Chromium  # noqa: E402
from running import SYSTEM, Run, built_in, check, oracle, test_port  # noqa: E402

OF_DELAYS = ("aws_backoff_algorithm", "aws_retry_utils", "aws_step_functions", "aws_prescriptive_sample",
             "azure_java_retry_policy")
TIMED = "azure_c_retry_control"
HOSTILE = foreign_texts.printable(foreign_texts.MARKUP)
SIZE_MAX = 2_000_000  # bytes: what a page may weigh
LOOKS = {"light": (1280, "light"), "dark": (1280, "dark"), "phone": (390, "light")}


# A program to watch: its second wait is too short, the others are as POLICY has them.
CLIENT = """\
import random, socket, sys, time
for n in range(4):
    with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as s:
        s.recv(9)
    time.sleep([random.uniform(0.1, 0.2), 0.05, random.uniform(0.4, 0.8), 0][n])
"""
POLICY = "name: watched\nunit: ms\ndocument: README of <my client>\ndelay: uniform(100, 200) * 2^n\n"


def drawing(name: str) -> list[str]:
    return [running.PROGRAMS["backoff-port"], name, "--draws", "random", running.MARK]


def reporting_port(name: str) -> list[str]:
    return [sys.executable, "-B", "-S", "-E", reporting.__file__, name, "0", running.MARK]


class PageTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def tearDown(self) -> None:
        self.assertEqual(running.left_over(), [], "processes left over")

    def results(self, port: Sequence[str], *options: str, name: str = "r", **more: Any) -> tuple[pathlib.Path, Run]:
        path = self.folder / f"{name}.jsonl"
        return path, check(port, *options, "--results", str(path), **more)

    def watched_page(self) -> pathlib.Path:
        (self.folder / "watched.yaml").write_text(POLICY)
        program = [sys.executable, "-c", CLIENT, "{port}", HOSTILE]
        oracle("watch", "watched.yaml", "--fail", "close", "--runs", "12", "--jobs", "12", "--results", "w", port=program, cwd=self.folder)
        oracle("report", "--policy", "watched.yaml", "w", "-o", "watched.html", cwd=self.folder)
        return self.folder / "watched.html"

    def report(self, *files: str | pathlib.Path, options: Sequence[str] = (), name: str = "page") -> tuple[pathlib.Path, Run]:
        path = self.folder / f"{name}.html"
        return path, oracle("report", *map(str, files), "-o", str(path), *options)

    def page_of(self, port: Sequence[str], *options: str, name: str = "r", **more: Any) -> pathlib.Path:
        file, _ = self.results(port, *options, name=name, **more)
        path, run = self.report(file, name=name)
        self.assertEqual(run.err, "")
        return path

    def refused(self, run: Run, *names: str) -> None:
        self.assertEqual((run.code, run.out, run.err.count("\n")), (2, "", 1), run.err)
        for name in names:
            self.assertIn(name, run.err)


def axe_core(test: PageTest) -> str:
    """The script axe-core, which is not in Debian."""
    where = pathlib.Path(__file__).resolve().parent
    installed = subprocess.run([where.parent / "ports/gallery/install/npm", where / "test_ports/axe", test.folder], capture_output=True,
                               text=True, check=False)
    if installed.returncode == 75:
        test.skipTest(installed.stdout.strip())
    test.assertEqual(installed.returncode, 0, installed.stdout)
    return (test.folder / "node_modules/axe-core/axe.min.js").read_text()


class Markup(html.parser.HTMLParser):
    """What a page is made of: [(tag, attributes)], and the text outside of scripts and styles."""

    def __init__(self, page: pathlib.Path | str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.scripts: list[str] = []
        self.text = ""
        self.feed(page if isinstance(page, str) else page.read_text())

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attributes)))
        self.open.append(tag)
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if self.open[-1:] == ["script"]:
            self.scripts[-1] += data
        elif self.open[-1:] != ["style"]:
            self.text += data

    def pictures(self) -> Any:
        return json.loads(self.scripts[0])


def one_line(text: str) -> str:
    return " ".join(text.split())


class PageWritten(PageTest):
    """The file itself, and when there is none."""

    def test_it_ends_as_its_worst_run_does(self) -> None:
        runs = {"conforms": (built_in("library"), 600, 0), "wrong": (built_in("cap-ignored"), 200, 1),
                "broken": (test_port(broken, "aborts_on_base_7"), 200, 3), "short": (built_in("library"), 1, 5)}
        files = {}
        for name, (port, cases, code) in runs.items():
            files[name], run = self.results(port, name=name, cases=cases)
            self.assertEqual(run.code, code, run.last)
        for names, code in (("conforms", 0), ("short", 5), ("conforms short", 5), ("short wrong conforms", 1), ("wrong broken", 3),
                            ("broken short", 3), ("wrong conforms", 1)):
            with self.subTest(names):
                _, run = self.report(*(files[name] for name in names.split()))
                self.assertEqual((run.code, run.err, run.out.count("\n")), (code, "", len(names.split())))

    def test_standard_output_has_the_verdict_of_each_run(self) -> None:
        file, run = self.results(built_in("cap-ignored"))
        _, page = self.report(file)
        self.assertEqual(page.out, f"port cap-ignored {running.VERSION}: " + run.last.removeprefix("verdict: ") + "\n")

    def test_the_same_results_make_the_same_bytes(self) -> None:
        for port, system in ((drawing("library"), SYSTEM), (built_in("library"), TIMED)):
            file, _ = self.results(port, system=system, cases=400)
            pages = [self.report(file, name=name)[0].read_bytes() for name in ("one", "other")]
            self.assertEqual(*pages)

    def test_shards_of_a_run_are_one_run(self) -> None:
        shards = [self.results(built_in("counts-from-one"), "--shard", f"{n}/3", name=str(n), cases=300)[0] for n in (1, 2, 3)]
        other, _ = self.results(built_in("library"), name="other", cases=300)
        whole, _ = self.results(built_in("counts-from-one"), name="whole", cases=300)
        together = self.report(shards[2], shards[0], shards[1], name="shards")[0]
        self.assertEqual(together.read_text(), self.report(whole, name="whole")[0].read_text())
        path, run = self.report(shards[0], other, shards[2], shards[1])
        self.assertEqual([line.split()[1] for line in run.out.splitlines()], ["counts-from-one", "library"])
        self.assertEqual(self.report(whole, whole)[1].out.count("\n"), 2)
        path.unlink()
        for files in ((shards[0], other, shards[2]), (shards[1],)):
            path, run = self.report(*files)
            self.refused(run, "not all shards", "/3")
            self.assertFalse(path.exists())
        self.refused(self.report(*shards, shards[0])[1], "repeats shard 1/3")

    def test_what_cannot_be_is_refused_and_leaves_no_page(self) -> None:
        one, _ = self.results(built_in("library"), name="one")
        other, _ = self.results(built_in("library"), "--seed", "2", name="other")
        for place in ("/dev/full", "/nonexistent/page.html", str(self.folder), ""):
            self.refused(oracle("report", str(one), "-o", place), place)
            self.refused(oracle("report", str(one), "--output", place), place)
        self.refused(self.report(one, options=["--format", "json"])[1], "--format", "--output")
        self.refused(self.report(one, other, options=["--junit", str(self.folder / "j.xml")])[1], "--junit")
        self.refused(oracle("report", str(one), str(other)), "seed", "-o")
        self.refused(self.report(one, "/nonexistent.jsonl")[1], "/nonexistent.jsonl")
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["one.jsonl", "other.jsonl"])
        path, _ = self.report(one, options=["--junit", str(self.folder / "j.xml")])
        self.assertTrue(path.exists() and (self.folder / "j.xml").exists())

    def test_nothing_in_it_points_elsewhere_and_it_weighs_little(self) -> None:
        pages = [self.page_of(built_in("library"), system=TIMED, cases=600), self.page_of(drawing("cap-after-jitter"), cases=3000),
                 self.page_of(reporting_port("hostile"), cases=50)]
        for path in pages:
            self.assertLess(path.stat().st_size, SIZE_MAX)
            for tag, attributes in Markup(path).elements:
                self.assertNotIn(tag, ("link", "img", "iframe", "object", "embed", "base", "form", "svg"))
                for name, value in attributes.items():
                    self.assertFalse(name in ("src", "style", "srcset") or name.startswith("on"), (tag, name))
                    self.assertTrue(name != "href" or (value or "").startswith("#"), value)

    def test_every_word_of_a_port_is_text(self) -> None:
        for name in ("hostile", "hostile_and_dies"):
            page = Markup(self.page_of(reporting_port(name), cases=50))
            self.assertEqual(sum(tag == "script" for tag, _ in page.elements), 3)
            self.assertGreaterEqual(one_line(page.text).count(one_line(HOSTILE)), 4, name)

    def test_what_conforms_is_drawn_inside_its_band(self) -> None:
        for system in OF_DELAYS:
            for port in (built_in("library"), drawing("library")):
                with self.subTest(f"{system} {port[2:]}"):
                    shown = [p["data"] for p in Markup(self.page_of(port, system=system, cases=1000)).pictures() if p["kind"] == "delays"]
                    self.assertGreaterEqual(len(shown), 6)
                    for data in shown:
                        self.assertEqual(data["misfits"], [])
                        band = {at: (low, math.inf if high is None else high) for at, low, high in data["band"]}
                        for at, delay in data["fits"]:
                            low, high = band[at]
                            self.assertTrue(low * (1 - 1e-9) <= delay <= high * (1 + 1e-9), (data["delay"], at, delay, band[at]))
                        self.assertTrue(all(at <= data["last"] for at in [*band, *(at for at, _ in data["fits"])]))

    def test_the_herd_of_a_port_is_drawn_beside_that_of_the_document(self) -> None:
        """Clients without jitter come back together. A right port has no such picture, nor has one that spares the server."""
        pictures = {name: {p["kind"]: p["data"] for p in Markup(self.page_of(built_in(name), name=name, cases=600)).pictures()}
                    for name in ("no-jitter", "library", "cap-ignored")}
        for name in ("library", "cap-ignored"):
            self.assertNotIn("herd", pictures[name])
        data = pictures["no-jitter"]["herd"]
        self.assertEqual(({n % 10000 for n in data["port"]}, data["port"][-1]), ({0}, 10000))
        self.assertLess(data["documented"][-1], 1000)

    def test_a_window_is_drawn_as_the_document_has_it(self) -> None:
        shown = Markup(self.page_of(built_in("library"), cases=1000)).pictures()
        windows = [p["data"]["band"] for p in shown]
        self.assertTrue(windows)
        for band in windows:
            base = band[0][2]
            for attempt, low, high in band:
                self.assertEqual((low, high), (0, min(base * 2 ** (attempt - 1), max(b[2] for b in band))))

    def test_what_breaks_a_claim_is_drawn_first_and_marked(self) -> None:
        for system, name in ((SYSTEM, "cap-ignored"), ("aws_step_functions", "whole-rate"), ("azure_java_retry_policy", "minimum-wins")):
            first = Markup(self.page_of(built_in(name), system=system, cases=1000)).pictures()[0]["data"]
            self.assertTrue(first["misfits"])
            self.assertNotEqual(first["misfits"][0][2], first["misfits"][0][3])
        lanes = Markup(self.page_of(built_in("more-than-the-wait"), system=TIMED, cases=1000)).pictures()
        self.assertIn(False, [fits for _, _, fits in lanes[0]["data"]["answers"]])

    def test_a_clock_has_its_zones(self) -> None:
        lanes = [p["data"] for p in Markup(self.page_of(built_in("library"), system=TIMED, cases=2000)).pictures()]
        self.assertGreaterEqual(len(lanes), 6)
        words = collections.Counter(zone[2] for lane in lanes for zone in lane["zones"])
        self.assertEqual(set(words), {"RETRY_NOW", "RETRY_LATER", "RETRY_NOW or RETRY_LATER", "STOP_RETRYING"})
        for lane in lanes:
            self.assertTrue(all(fits for _, _, fits in lane["answers"]))
            self.assertTrue(all(a < b for a, b, _ in lane["zones"]))
            for (_, end, _), (begin, _, _) in zip(lane["zones"], lane["zones"][1:]):
                self.assertEqual(end, begin)
            # Within a zone only what it says was answered.
            for at, word, _ in lane["answers"]:
                for begin, end, admitted in lane["zones"]:
                    if begin < at < end:
                        self.assertIn(word, admitted)

    def test_the_path_of_the_evidence_ends_where_the_verdict_says(self) -> None:
        for port, cases in ((drawing("cap-after-jitter"), 3000), (drawing("library"), 1000)):
            file, _ = self.results(port, cases=cases)
            said = json.loads(oracle("report", str(file), "--format", "json").out)
            pictures = {p["kind"]: p["data"] for p in Markup(self.report(file)[0]).pictures()}
            draws, gained = pictures["evidence"]["path"][-1]
            self.assertEqual(draws, said["randomness"]["draws"])
            self.assertAlmostEqual(sum(pictures["draws"]["bins"]), draws, places=3)
            self.assertEqual(pictures["evidence"]["threshold"], 9)
            failing = [f for f in said["findings"] if f["fails"]]
            if failing:
                self.assertAlmostEqual(gained, failing[0]["sampled"]["log_odds"] / math.log(10), places=6)
            self.assertEqual(gained >= 9, bool(failing))


def away(one: int, other: int) -> int:
    return abs(one - other)


def thumbnail(png: bytes) -> collections.Counter[tuple[int, ...]]:
    """The pixels of a small PNG of 8 bits a channel, as a Counter of (red, green, blue)."""
    at, data, header = 8, b"", (0, 0, 0, 0)
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at:at + 8])
        body = png[at + 8:at + 8 + length]
        header = struct.unpack(">IIBB", body[:10]) if kind == b"IHDR" else header
        data += body if kind == b"IDAT" else b""
        at += 12 + length
    width, height, _, colour = header
    channels = {2: 3, 6: 4}[colour]
    raw, stride, before = zlib.decompress(data), width * channels, bytes(width * channels)
    seen: collections.Counter[tuple[int, ...]] = collections.Counter()
    for y in range(height):
        how, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for i in range(stride):
            left, up, corner = (line[i - channels], before[i], before[i - channels]) if i >= channels else (0, before[i], 0)
            near = min((left, up, corner), key=functools.partial(away, left + up - corner))
            line[i] = (line[i] + (0, left, up, (left + up) // 2, near)[how]) & 255
        before = bytes(line)
        seen.update(tuple(line[i:i + 3]) for i in range(0, stride, channels))
    return seen


class PageSeen(PageTest):
    """The page in a browser."""

    chromium: Chromium
    browser: webdriver.Chrome
    shots: pathlib.Path

    @classmethod
    def setUpClass(cls) -> None:
        cls.chromium = Chromium()
        cls.addClassCleanup(cls.chromium.quit)
        cls.browser = cls.chromium.driver
        cls.shots = pathlib.Path(running.PROGRAMS["backoff-oracle"]).parents[1] / "page_screenshots"
        cls.shots.mkdir(exist_ok=True)

    def ask(self, script: str) -> Any:
        return self.browser.execute_script("return " + script)

    def open(self, path: pathlib.Path, look: str = "light") -> None:
        """Opens it; nothing is asked for but the page, and nothing goes wrong."""
        width, scheme = LOOKS[look]
        self.chromium.look(width, scheme)
        self.browser.get_log("browser"), self.browser.get_log("performance")
        self.browser.get(path.as_uri())
        self.assertEqual(self.browser.get_log("browser"), [])
        events = [json.loads(entry["message"])["message"] for entry in self.browser.get_log("performance")]
        asked = [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]
        self.assertEqual(asked, [path.as_uri()])

    def screenshot(self, name: str, look: str) -> collections.Counter[tuple[int, ...]]:
        width, height = LOOKS[look][0], min(self.ask("document.scrollingElement.scrollHeight"), 4000)
        for scale, to in ((1, self.shots / f"{name}-{look}.png"), (0.2, None)):
            shot = self.browser.execute_cdp_cmd("Page.captureScreenshot", {
                "captureBeyondViewport": True, "clip": {"x": 0, "y": 0, "width": width, "height": height if to else 900, "scale": scale}})
            png = base64.b64decode(shot["data"])
            if to:
                to.write_bytes(png)
        return thumbnail(png)

    def test_it_looks_like_something_everywhere(self) -> None:
        """Pages of every kind of picture, in light, in dark and on a phone."""
        several = self.report(*(self.results(port, name=str(i), cases=600)[0] for i, port in enumerate(
            (test_port(reporting, "plain"), reporting_port("next_version")))), name="two-versions")[0]
        pages = {"two-versions": several, "timeline": self.page_of(built_in("more-than-the-wait"), name="t", system=TIMED, cases=600),
                 "hidden-draws": self.page_of(drawing("cap-after-jitter"), name="h", cases=3000), "watched": self.watched_page()}
        for name, path in pages.items():
            for look in LOOKS:
                with self.subTest(f"{name} {look}"):
                    self.open(path, look)
                    self.assertLessEqual(self.ask("document.scrollingElement.scrollWidth"), self.ask("innerWidth"))
                    outside = self.ask("""[...document.querySelectorAll('main *')].filter(e => !e.closest('.scroll') && !e.closest('svg') &&
                        e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML.slice(0, 80))""")
                    self.assertEqual(outside, [])
                    colours = self.screenshot(name, look)
                    paper = sum(colours.most_common(1)[0][0]) / 3
                    self.assertGreater(len(colours), 30)
                    self.assertTrue(paper < 60 if look == "dark" else paper > 200, paper)

    def test_each_picture_is_drawn(self) -> None:
        for system, port, expected in (*((s, built_in("library"), {"delays"}) for s in OF_DELAYS),
                                       (TIMED, built_in("library"), {"timeline"}),
                                       (TIMED, drawing("library"), {"timeline", "draws", "evidence"}),
                                       ("aws_retry_utils", drawing("library"), {"delays", "draws", "evidence"}),
                                       (SYSTEM, built_in("no-jitter"), {"delays", "herd"}),
                                       (SYSTEM, built_in("throws-on-empty"), {"delays"})):
            with self.subTest(f"{system} {port[1:]}"):
                path = self.page_of(port, system=system, cases=600)
                self.open(path)
                kinds = [p["kind"] for p in Markup(path).pictures()]
                self.assertEqual(set(kinds), expected)
                figures = self.ask("""[...document.querySelectorAll('figure')].map(f => [f.querySelectorAll('svg').length,
                    f.querySelector('svg').getAttribute('role'),
                    f.querySelector('svg').getAttribute('aria-label') === f.querySelector('figcaption').textContent,
                    f.querySelectorAll('.band, .fit, .zone, .path, .misfit').length, f.querySelector('svg').outerHTML])""")
                self.assertEqual(len(figures), len(kinds))
                for count, role, labelled, shapes, svg in figures:
                    self.assertEqual((count, role, labelled), (1, "img", True))
                    self.assertGreater(shapes, 0)
                    self.assertNotRegex(svg, "NaN|undefined|Infinity|null")

    def test_each_wait_of_a_program_is_a_dot(self) -> None:
        path = self.watched_page()
        self.open(path)
        data = Markup(path).pictures()[0]["data"]
        self.assertEqual(data["band"], [[1, 100, 200], [2, 200, 400], [3, 400, 800]])
        self.assertEqual([dot[0] for dot in data["misfits"]], [2] * 12)
        self.assertEqual({dot[0] for dot in data["fits"]}, {1, 3})
        self.assertEqual(self.ask("[...document.querySelectorAll('.misfit title')].length"), 12)
        self.assertRegex(self.ask("document.querySelector('.misfit title').textContent"),
                         r"^retry 2: admitted 200.0 to 400.0 ms, the program: \d+\.\d ms$")
        self.assertIn(HOSTILE[:20], self.ask("document.querySelector('dl').textContent"))

    def test_a_scale_says_what_it_shows(self) -> None:
        """A tick stands where its number is: on linear scales they are evenly far apart, and 20 thousand is not 2."""
        self.open(self.page_of(built_in("library"), cases=1000))
        axes = self.ask("""[...document.querySelectorAll('figure')].filter(f => !f.textContent.includes('logarithmic')).map(f =>
            [...f.querySelectorAll('.axis')].map(a => [...a.querySelectorAll('.tick')].map(t => [t.querySelector('text').textContent,
            t.getAttribute('transform')])))""")
        self.assertTrue(axes)
        units = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9}
        for figure in axes:
            for axis in figure:
                shown = [(running.found(r"^(-?[\d.]+) ?([kMG]?)$", text), [float(n) for n in re.findall(r"-?[\d.]+", place)])
                         for text, place in axis if text]
                ticks = [(float(match[1]) * units[match[2]], sum(place)) for match, place in shown]
                for (a, x), (b, y), (c, z) in zip(ticks, ticks[1:], ticks[2:]):
                    self.assertAlmostEqual((b - a) / (y - x), (c - b) / (z - y), delta=abs((b - a) / (y - x)) / 20, msg=str(axis))

    def test_every_word_of_a_port_is_text(self) -> None:
        for name in ("hostile", "hostile_and_dies"):
            with self.subTest(name):
                self.open(self.page_of(reporting_port(name), cases=50))
                self.assertEqual(self.ask("[typeof owned, document.images.length, document.querySelectorAll('main script').length]"),
                                 ["undefined", 0, 0])
                self.assertIn(one_line(HOSTILE), one_line(self.ask("document.querySelector('.verdict').textContent")))

    def test_every_word_of_a_policy_and_of_its_port_is_text(self) -> None:
        policy, file, page = (self.folder / name for name in ("mine.yaml", "r.jsonl", "page.html"))
        policy.write_text(f"name: mine\nunit: ms\ndocument: {json.dumps(HOSTILE)}\ncall: {{error: [refused, fatal]}}\n"
                          "delay: uniform(0, 2^n)\nwhile: error != fatal\n")
        for how in ("fails", "waits too little", "dies"):
            with self.subTest(how):
                *words, mark = test_port(says, how)
                check([*words, "markup", mark], "--results", str(file), system=str(policy), cases=20)
                oracle("report", str(file), "--policy", str(policy), "-o", str(page))
                self.open(page)
                self.assertEqual(self.ask("[typeof owned, document.images.length, document.querySelectorAll('main script').length]"),
                                 ["undefined", 0, 0])
                self.assertIn(one_line(HOSTILE), one_line(self.ask("document.body.textContent")))

    def test_without_scripts_all_but_the_pictures_is_there(self) -> None:
        file, run = self.results(built_in("cap-ignored"), cases=600)
        path, _ = self.report(file)
        self.browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        try:
            self.browser.get(path.as_uri())
            said = one_line(self.browser.execute_cdp_cmd("Runtime.evaluate", {"expression": "document.body.innerText"})["result"]["value"])
        finally:
            self.browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
        self.assertTrue(said.startswith("backoff-oracle"))
        for expected in ("Does not conform", *run.replay_lines(), "script of this page draws", *(c for c, _ in run.findings()),
                         "AWS-BA-001", "not reachable", "failed", "checked", "histories"):
            self.assertIn(one_line(expected), said)
        self.assertIn(run.last.removeprefix("verdict: does"), said)

    def test_it_says_what_changed_between_two_versions(self) -> None:
        old, _ = self.results(test_port(reporting, "plain"), name="old", cases=1000)
        new, run = self.results(reporting_port("next_version"), name="new", cases=1000)
        broken_now = {claim for claim, (holds, _, _) in run.claims().items() if not holds}
        for files, word in (((old, new), "newly broken"), ((new, old), "mended")):
            with self.subTest(word):
                path, _ = self.report(*files)
                self.open(path)
                self.assertEqual(self.ask("document.querySelectorAll('.card').length"), 2)
                lines = self.ask("[...document.querySelectorAll('#changes li')].map(e => e.textContent)")
                self.assertEqual({line.split(": ")[1] for line in lines if word in line}, broken_now)
                self.assertIn("was", lines[0])
                self.assertEqual(self.ask("document.querySelectorAll('.matrix thead th').length"), 9)  # three tables, side by side
                self.assertEqual(self.ask("[...document.querySelectorAll('a')].every(a => document.querySelector(a.getAttribute('href')))"),
                                 True)
        path, _ = self.report(old, self.results(built_in("library"), name="other", cases=600)[0])
        self.open(path)
        self.assertIsNone(self.ask("document.querySelector('#changes')"))

    def test_the_matrix_says_of_every_requirement_what_became_of_it(self) -> None:
        spec = pathlib.Path(__file__).resolve().parents[2] / "spec"
        for system, port, options, states in (
                (SYSTEM, built_in("negative-beyond-i32"), [], {"failed", "breaks with another", "checked", "not reachable", "not checked"}),
                (SYSTEM, built_in("one-attempt-too-many"), ["--document-only"],
                 {"failed, and only reported", "checked", "not reachable", "not checked"}),
                ("aws_prescriptive_sample", built_in("library"), [], {"checked", "not checked"})):
            with self.subTest(system, options=options):
                self.open(self.page_of(port, *options, system=system, cases=2000))
                rows = self.ask("""[...[...document.querySelectorAll('.matrix')].at(-1).querySelectorAll('tbody tr')].map(r =>
                    [r.querySelector('th b').textContent, r.querySelector('td span').textContent])""")
                wanted = re.findall("(?m)^  ([A-Z][A-Z0-9-]+):$", (spec / system / "system.yaml").read_text())
                self.assertEqual([name for name, _ in rows], wanted)
                self.assertEqual({state[2:] for _, state in rows}, states)

    def test_what_is_wide_can_be_reached_by_keys(self) -> None:
        self.open(self.page_of(built_in("library"), cases=200), "phone")
        self.assertEqual(self.ask("[...document.querySelectorAll('.scroll')].every(e => e.tabIndex === 0 && e.getAttribute('aria-label'))"),
                         True)

    def test_axe_finds_nothing(self) -> None:
        """On one page of every kind of run, and on a page of one run."""
        axe = axe_core(self)
        runs = ((SYSTEM, built_in("library")), (SYSTEM, built_in("cap-ignored")), (SYSTEM, drawing("cap-after-jitter")),
                (SYSTEM, test_port(broken, "aborts_on_base_7")), (TIMED, built_in("more-than-the-wait")),
                ("aws_step_functions", built_in("whole-rate")))
        several = self.report(*(self.results(port, name=str(i), system=system, cases=600)[0] for i, (system, port) in enumerate(runs)))[0]
        one = self.page_of(built_in("cap-ignored"), name="one", cases=600)
        for page, look in (*((several, look) for look in LOOKS), (one, "light"), (self.watched_page(), "dark")):
            with self.subTest(f"{page.name} {look}"):
                self.open(page, look)
                self.browser.execute_script("document.querySelectorAll('details').forEach(e => e.open = true);" + axe)
                found = self.browser.execute_async_script("""const done = arguments[0];
                    axe.run({resultTypes: ['violations']}).then(all => done([all.passes.length, all.violations.map(v =>
                        `${v.impact} ${v.id}: ${v.help}: ${v.nodes.map(n => n.html.slice(0, 200)).slice(0, 3).join(' ')}`)]))""")
                self.assertGreater(found[0], 30, "rules that found something to check")
                self.assertEqual(found[1], [])


if __name__ == "__main__":
    running.main(__doc__)
