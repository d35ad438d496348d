#!/usr/bin/python3
"""Pages and pictures, looked at in Chromium and in Firefox: on a screen as wide as a desk's and as a phone's, light and dark, and in print.

    looks_test.py --bin build/release/bin

Looked is of pages of every kind; LookedEverywhere, of the night, is of every page of the documentation too, and asks axe-core.
"""
import itertools
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "test_ports"))
sys.dont_write_bytecode = True
import broken  # noqa: E402
import page_test  # noqa: E402
import running  # noqa: E402
from browsers import Chromium, Firefox  # noqa: E402
from page_test import TIMED, axe_core, drawing, reporting_port  # noqa: E402
from running import SYSTEM, built_in, oracle, test_port  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
LOOKS = (HERE / "test_ports/looks.js").read_text()
SCREENS = tuple(itertools.product((1280, 390), ("light", "dark"), ("screen",)))
WIDTHS_OF_PLANS = tuple((width, scheme, medium) for width in (390, 800, 1600)
                        for scheme, medium in (("light", "screen"), ("dark", "screen"), ("dark", "print")))
PAPER = (680, "dark", "print")  # A4 within its margins; the reader's screen is dark
PICTURES = ("properties/ports/gallery/gallery.svg", "properties/oracle/docs/plan.svg")
OF_THE_SITE = ("index.html", "properties/policies/shelf.html",
               *(f"properties/oracle/docs/{name}.html" for name in ("options", "start_rust", "plan", "gallery")))
# In a page of one's own a picture is as wide as the page's text.
PAGE = """<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>a picture</title>
<style>:root {{ color-scheme: light dark }} body {{ margin: 16px }} svg {{ max-width: 100%; height: auto }}
@media print {{ :root {{ color-scheme: light }} }}</style><main><h1>A picture</h1>{}</main></html>"""

Look = tuple[int, str, str]  # how wide, light or dark, on a screen or in print
Browser = Chromium | Firefox


class LooksTest(page_test.PageTest):
    site: pathlib.Path
    browsers: dict[str, Browser]

    @classmethod
    def setUpClass(cls) -> None:
        cls.site = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        built = subprocess.run([sys.executable, HERE / "docs/site.py", cls.site / "site"], capture_output=True, text=True, check=False)
        assert built.returncode == 0, built.stdout + built.stderr
        cls.browsers = {}
        for browser in (Chromium, Firefox):
            cls.browsers[browser.__name__] = browser()
            cls.addClassCleanup(cls.browsers[browser.__name__].quit)

    def of_the_site(self, name: str) -> pathlib.Path:
        return self.site / "site/html" / name

    def written(self) -> list[pathlib.Path]:
        """A page of each kind that the program writes, and one of each picture."""
        runs = ((SYSTEM, drawing("cap-after-jitter")), (SYSTEM, built_in("cap-ignored")), (SYSTEM, test_port(broken, "aborts_on_base_7")),
                (TIMED, built_in("more-than-the-wait")), (SYSTEM, reporting_port("hostile")))
        several = self.report(*(self.results(port, name=str(i), system=system, cases=600)[0] for i, (system, port) in enumerate(runs)))[0]
        pages = [several, self.page_of(built_in("more-than-the-wait"), name="one", system=TIMED, cases=600), self.watched_page(),
                 self.planned_page()]
        for name in PICTURES:
            pages.append((self.folder / pathlib.Path(name).name).with_suffix(".html"))
            pages[-1].write_text(PAGE.format((HERE.parents[1] / name).read_text()))
        return pages

    def planned_page(self, *words: str) -> pathlib.Path:
        plan = self.folder / f"plan{len(words)}.html"
        run = oracle("plan", "aws_blog_full_jitter", "azure_java_retry_policy:policy=exponential_backoff_with_jitter", "--clients",
                     "300000", "--ramp", "30s", "--outage", "2min", "--capacity", "10000/s", "-o", str(plan), *words)
        self.assertEqual(run.code, 0, run)
        return plan

    def faults(self, browser: Browser, page: pathlib.Path, look: Look) -> list[str]:
        width, scheme, medium = look
        browser.look(width, scheme, medium)
        browser.open(page.as_uri())
        found: list[str] = browser.ask(f"(() => {{ {LOOKS} return faults_of_looks('{scheme}') }})()")
        browser.ask("localStorage.clear()")  # the site remembers light or dark
        return found

    def look(self, pages: Iterable[pathlib.Path], looks: Sequence[Look]) -> None:
        for (name, browser), look, page in itertools.product(self.browsers.items(), looks, pages):
            with self.subTest(f"{page.name}: {name}, {look}"):
                self.assertEqual("\n".join(self.faults(browser, page, look)), "")


class Looked(LooksTest):
    def test_everything_can_be_seen_and_read(self) -> None:
        self.look([*self.written(), *map(self.of_the_site, OF_THE_SITE)], (SCREENS[0], SCREENS[3], PAPER))

    def test_pictures_of_plans_fill_pages_of_any_width(self) -> None:
        pages = [self.planned_page("--compare", "--retries", "40"), self.folder / "plan.svg.html"]
        pages[1].write_text(PAGE.format((HERE.parents[1] / PICTURES[1]).read_text()))
        self.look(pages, WIDTHS_OF_PLANS)
        for (name, browser), width in itertools.product(self.browsers.items(), (390, 800, 1600)):
            with self.subTest(name, width=width):
                browser.look(width, "light", "screen")
                browser.open(pages[0].as_uri())
                picture, text = browser.ask("['svg.plan', 'main > table, main > .scroll'].map(e => document.querySelector(e).clientWidth)")
                self.assertEqual(picture, text)

    def test_each_fault_is_found(self) -> None:
        """What the test above looks for, planted."""
        page = self.folder / "planted.html"
        for name, browser in self.browsers.items():
            for planted, found in (
                    ('<table><tr><td style="white-space: nowrap">' + "cell " * 100 + "</table>", ["wider than", "cut: cell"]),
                    ('<div style="overflow: hidden; white-space: nowrap">' + "cell " * 100 + "</div>", ["cut: cell"]),
                    ('<p><a style="color: #7692e8" href="#">link</a>', ["contrast"]),
                    ('<p style="width: 6em; overflow-wrap: anywhere">aws_backoff_algorithm', ["broken: "]),
                    ('<p style="width: 6em">aws_<wbr>backoff_<wbr>algorithm', []),
                    ('<svg viewBox="0 0 900 40"><text y="20" font-size="14">small</text></svg>', ["5.6 pixels: small"]),
                    ('<svg viewBox="0 0 358 40"><text x="340" y="20" fill="CanvasText">words</text></svg>', ["cut by its picture: words"]),
                    ('<img src="absent.svg" style="color-scheme: dark" alt="">', ["no picture", "palette of another page"])):
                with self.subTest(f"{name}: {planted[:60]}"):
                    page.write_text(PAGE.format(planted))
                    faults = self.faults(browser, page, (390, "light", "screen"))
                    self.assertEqual(bool(faults), bool(found), faults)
                    for start in found:
                        self.assertTrue(any(f.startswith(start) for f in faults), faults)
            shadows = "background: linear-gradient(white, white) 0 / 9px local, linear-gradient(red, red) 0 / 9px no-repeat scroll"
            inner = '<div style="width: 900px; background: white">cell</div>'
            for style, inside, screen, paper in (
                    (shadows, "cell " * 100, [], ["a sign of scrolling on paper", "scrolls on paper"]),
                    ("", "cell " * 100, ["no sign that it scrolls"], ["scrolls on paper"]),
                    (shadows.replace("local", "scroll"), "cell " * 100, ["no sign that it scrolls"], ["scrolls on paper"]),
                    (shadows, inner, ["hides the sign of scrolling"], ["a sign of scrolling on paper", "scrolls on paper"])):
                page.write_text(PAGE.format(f'<div style="overflow: auto; white-space: nowrap; {style}">{inside}</div>'))
                for medium, found in (("screen", screen), ("print", paper)):
                    with self.subTest(f"{name}, {medium}: {style} {inside[:10]}"):
                        faults = self.faults(browser, page, (390, "light", medium))
                        self.assertEqual(sorted(fault.partition(":")[0] for fault in faults), found, faults)


class LookedEverywhere(LooksTest):
    def pages(self) -> list[pathlib.Path]:
        site = sorted(self.of_the_site("").rglob("*.html"))
        return [*self.written(), *(page for page in site if page.name != "404.html")]  # its style is at the root of a server

    def test_everything_can_be_seen_and_read(self) -> None:
        self.look(self.pages(), (*SCREENS, PAPER))

    def test_axe_finds_nothing(self) -> None:
        axe = axe_core(self)
        for (name, browser), look, page in itertools.product(self.browsers.items(), (SCREENS[0], SCREENS[3]), self.pages()):
            with self.subTest(f"{page.name}: {name}, {look}"):
                browser.look(*look)
                browser.open(page.as_uri())
                browser.ask("document.querySelectorAll('details').forEach(e => e.open = true)")
                passes, found = browser.ask_later(f"(() => {{ {axe} }})(), axe.run({{resultTypes: ['violations']}})" """
                    .then(all => [all.passes.length, all.violations.map(v =>
                        `${v.impact} ${v.id}: ${v.help}: ${v.nodes.map(n => n.html.slice(0, 200)).slice(0, 3)}`)])""")
                browser.ask("localStorage.clear()")
                self.assertGreater(passes, 10, "rules that found something to check")
                self.assertEqual(found, [])


if __name__ == "__main__":
    running.main(__doc__)
