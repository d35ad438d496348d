#!/usr/bin/python3
"""Texts of others in every form of report, on documents and on policies whose calls have arguments: test_ports/foreign_texts.py lists
them. No byte moves a cursor; what programs read is well-formed; no text opens an element, ends a cell or says a verdict.

    foreign_texts_test.py --bin build/release/bin
"""
import copy
import functools
import json
import operator
import pathlib
import re
import sys
import xml.etree.ElementTree
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "test_ports"))
sys.dont_write_bytecode = True
import foreign_texts  # noqa: E402
import running  # noqa: E402
import says  # noqa: E402
import vectors_test  # noqa: E402
from foreign_texts import CONTROL, MARKUP, TEXTS, printable  # noqa: E402
from page_test import Markup, one_line  # noqa: E402
from results_test import ReportTest  # noqa: E402
from running import SYSTEM, Run, check, oracle, test_port  # noqa: E402

DOCUMENT_MAX, FILE_MAX = 200, 200  # bytes
POLICY = """\
name: mine
unit: ms
document: {document}
parameters: {{base: {{default: 5, range: [1, 100]}}, jitter: [none, full]}}
call: {{error: [transient, throttled, fatal], after: {{default: unset, range: [1, 60]}}}}
delay: |
  if(after == unset,
    if(jitter == none, base * 2^n, uniform(0, base * 2^n)),
    after)
while: error != fatal
# A comment has \u202e what it likes.
"""
# Tries four times, as soon as it can.
CLIENT = """\
import socket, sys
for _ in range(4):
    with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as s:
        s.recv(9)
"""
DELAY = "Each delay is if(after == unset, if(jitter == none, base * 2^n, uniform(0, base * 2^n)), after)."
# The parts of a page that are its own: a text that opens another is seen.
ELEMENTS = {"html", "head", "meta", "title", "style", "body", "header", "main", "section", "article", "footer", "nav", "script", "noscript",
            "h1", "h2", "h3", "h4", "p", "div", "span", "a", "b", "strong", "em", "code", "pre", "ul", "ol", "li", "dl", "dt", "dd", "wbr",
            "br", "table", "caption", "thead", "tbody", "tr", "th", "td", "details", "summary", "figure", "figcaption", "time"}
SCRIPTS = 3  # of a page of a run


class Subject(NamedTuple):
    """What a port is judged by."""
    system: str  # as check takes it
    policy: list[str]  # as other verbs do
    token: str


def subjects(folder: pathlib.Path) -> list[Subject]:
    (folder / "mine.yaml").write_text(POLICY.format(document="README of mine"))
    path = str(folder / "mine.yaml")
    return [Subject(SYSTEM, [], f"{SYSTEM}/base_ms=7,max_ms=9,max_attempts=3/next:8@2"),
            Subject(path, ["--policy", path], "mine/base=7,jitter=full/next:throttled:3@2")]


def cells(line: str) -> int:
    return len(re.findall(r"(?<!\\)\|", line))


def faults(form: str, text: str) -> list[str]:
    """What a text has done in an output of this form: the name of an option, or --format=FORM."""
    found = [f"prints {control[0]!r}" for control in [CONTROL.search(text)] if control]
    match form:
        case "--output":
            page = Markup(text)
            scripts = sum(tag == "script" for tag, _ in page.elements)
            found += [f"{scripts} scripts"] if scripts != SCRIPTS else []
            found += [f"opens {tag}" for tag, _ in page.elements if tag not in ELEMENTS]
            found += [f"{tag} has {name}={value}" for tag, attributes in page.elements for name, value in attributes.items()
                      if name in ("src", "srcset", "style") or name.startswith("on") or (name == "href" and (value or "")[:1] != "#")]
        case "--junit":
            xml.etree.ElementTree.fromstring(text)
        case "--format=json" | "--certificate":
            json.loads(text)
        case "--results":
            found += [] if all(json.loads(line) for line in text.splitlines()) else ["an empty line"]
        case "--format=markdown":
            found += ["a fence is open"] if len(re.findall(r"^`{3,}", text, re.M)) % 2 else []
            outside = re.sub(r"^(`{3,})text\n.*?^\1$", "", text, flags=re.M | re.S)
            found += [f"opens {tag}" for tag in re.findall(r"<(\w+)", outside) if tag not in ("details", "summary")]
            for table in re.findall(r"(?:^\|.*\n)+", outside, re.M):
                found += [f"a row of other cells: {line}" for line in table.splitlines() if cells(line) != cells(table.split("\n")[0])]
        case "--format=human":
            verdicts = re.findall(r"^verdict: .*", text, re.M)
            found += [f"verdicts: {verdicts}"] if len(verdicts) > 1 else []
    return found


def saying(how: str, name: str) -> list[str]:
    """A port that does."""
    *words, mark = test_port(says, how)
    return [*words, name, mark]


def harmless(test: ReportTest, form: str, text: str) -> None:
    test.assertEqual(faults(form, text), [], text[:3000])


def written(test: ReportTest, subject: Subject, port: list[str], *options: str) -> Run:
    """What check says; every form and file of it is harmless, but for a new list of known failures, which takes many runs."""
    outputs = {name: test.folder / name.strip("-") for name in ("--results", "--junit", "--certificate")}
    for path in outputs.values():
        path.unlink(missing_ok=True)
    run = check(port, *options, *(word for name, path in outputs.items() for word in (name, str(path))), system=subject.system, cases=20)
    test.assertIn(run.code, (1, 3, 5), run.err)
    harmless(test, "--format=human", run.out + run.err)
    for name, path in outputs.items():
        if path.exists():
            harmless(test, name, path.read_text())
    if not outputs["--results"].exists():  # the port did not start
        return run
    for form in ("json", "markdown"):
        harmless(test, f"--format={form}", test.report(outputs["--results"], options=[*subject.policy, "--format", form]).out)
    page = test.folder / "page.html"
    test.report(outputs["--results"], options=[*subject.policy, "-o", str(page)])
    harmless(test, "--output", page.read_text())
    return run


class TextsOfPorts(ReportTest):
    def test_what_a_port_says_is_text_in_each_form(self) -> None:
        for subject in subjects(self.folder):
            for how in (*says.WAYS, *says.ADDED):
                for name in TEXTS if how == "fails" else ("both",):
                    with self.row(subject.system, how, name):
                        run = written(self, subject, saying(how, name))
                        if how in says.WAYS:
                            self.assertIn(one_line(printable(TEXTS[name]))[:30], one_line(run.out))

    def test_what_a_port_says_is_text_from_every_verb(self) -> None:
        for subject in subjects(self.folder):
            for how, name in (("fails", "both"), ("dies", "both")):
                port = saying(how, name)
                results, vectors, answers = (self.folder / name for name in ("results", "vectors", "answers"))
                check(port, "--results", str(results), system=subject.system, cases=20)
                vectors.write_text(oracle("vectors", subject.system, "--count", "20").out)
                asked = json.loads(vectors.read_text())
                refused = [{"id": case["id"], "rejected": f"{foreign_texts.ALL}<script>|`"} for case in asked["cases"]]
                answers.write_text(vectors_test.sealed(vectors_test.as_json(asked["header"], refused), True))
                words = {"check": [subject.system, "--cases", "20"], "replay": [subject.token, *subject.policy],
                         "report": [str(results), *subject.policy], "verify": [str(vectors), str(answers), *subject.policy]}
                for verb, output in running.outputs():
                    with self.row(subject.system, how, name, verb, output):
                        written = self.folder / "written.html"
                        written.unlink(missing_ok=True)
                        said = output.startswith("--format")
                        run = oracle(verb, *words[verb], *([output] if said else [output, str(written)]),
                                     port=port if verb in ("check", "replay") else ())
                        self.assertIn(run.code, (1, 2, 3, 5), run.err)
                        self.assertTrue(said or written.exists() or run.code == 2 or "is unchanged" in run.err, run.err)
                        if said and (run.out or output == "--format=human"):
                            harmless(self, output, run.out if output == "--format=json" else run.out + run.err)
                        elif not said and written.exists():
                            harmless(self, output, written.read_text())
                        self.assertIsNone(CONTROL.search(run.err))

    def test_a_reason_why_something_is_known_to_fail_is_text(self) -> None:
        known = self.folder / printable(MARKUP).replace("/", "")
        for subject in subjects(self.folder):
            for name in ("both", "cell", "lines"):
                with self.row(subject.system, name):
                    known.write_text(f"no_call_fails * # {one_line(TEXTS[name].replace(chr(0), ''))}\n")
                    written(self, subject, saying("fails", "cell"), "--known-failing", str(known))


class TextsOfPolicies(ReportTest):
    """Texts inside a policy file, and in the name of the file."""

    def judged(self, path: pathlib.Path, shown: str, in_full: bool) -> None:
        """In everything that a policy's words come to, they are text, and can be seen."""
        subject = Subject(str(path), ["--policy", str(path)], "mine/base=7,jitter=full/next:throttled:3@2")
        more = [["plan"], ["vectors", "--count", "3"]] if in_full else []
        for verb, *words in (["list"], ["list", "--json"], ["explain"], ["eval"], *more):
            run = oracle(verb, str(path), *words)
            self.assertEqual(run.code, 0, run.err)
            self.assertIsNone(CONTROL.search(run.out + run.err), run.out + run.err)
        self.assertIn(DELAY, oracle("list", str(path)).out)
        run = written(self, subject, saying("waits too little", "markup"))
        self.assertIn(shown, run.out)
        page = (self.folder / "page.html").read_text()
        self.assertIn(one_line(shown), one_line(Markup(page).text))
        self.assertIn(DELAY, one_line(Markup(page).text))

    def test_its_document_is_text_or_refused(self) -> None:
        path = self.folder / "mine.yaml"
        for name, text in TEXTS.items():
            for document in (text, printable(text)):
                for suffix in (".yaml", ".json"):
                    path = self.folder / f"mine{suffix}"
                    fields = {"name": "mine", "unit": "ms", "delay": "5", "document": document}
                    path.write_text(POLICY.format(document=json.dumps(document)) if suffix == ".yaml" else json.dumps(fields, indent=1))
                    fits = document == printable(document) and len(document.encode(errors="replace")) <= DOCUMENT_MAX
                    with self.row(name, suffix, fits):
                        if not fits:
                            self.refused(oracle("list", str(path)), f"mine{suffix}:{3 if suffix == '.yaml' else 5}:")
                            self.assertIsNone(CONTROL.search(oracle("check", str(path), "--", "x").err))
                        elif suffix == ".yaml":
                            self.judged(path, document, name == "both")

    def test_the_name_of_its_file_is_text(self) -> None:
        for name in TEXTS:
            with self.row(name):
                called = re.sub("[/:\0]", "", TEXTS[name]).encode()[:FILE_MAX]
                path = self.folder / f"{called.decode(errors='ignore')}.yaml"
                path.write_text(POLICY.format(document="README of mine"))
                self.judged(path, printable(path.name), name == "both")

    def test_what_a_watched_program_is_called_is_text(self) -> None:
        path, results, page, junit = (self.folder / name for name in ("watched.yaml", "w", "page.html", "junit.xml"))
        path.write_text("name: watched\nunit: ms\ndocument: " + json.dumps(printable(MARKUP)) +
                        "\ncall: {error: [close, other]}\ndelay: uniform(1, 2)\n")
        for name in ("markup", "escapes", "cell", "fence"):
            program = [sys.executable, "-c", CLIENT, "{port}", TEXTS[name]]
            for form in ("human", "json"):
                with self.row(name, form):
                    run = oracle("watch", str(path), "--fail", "close", "--runs", "2", "--format", form, "--results", str(results),
                                 "--junit", str(junit), port=program)
                    self.assertIn(run.code, (0, 1, 5), run.err)
                    self.assertIsNone(CONTROL.search(run.out + run.err), run.out + run.err)
                    harmless(self, "--junit", junit.read_text())
            with self.row(name, "page"):
                self.report(results, options=["--policy", str(path), "-o", str(page)])
                harmless(self, "--output", page.read_text())

    def test_every_other_text_is_refused_with_its_place(self) -> None:
        good = POLICY.format(document="x")
        path = self.folder / "mine.yaml"
        places: dict[str, Callable[[str], str]] = {
            "a name": lambda text: good.replace("name: mine", f"name: {text}"),
            "a unit": lambda text: good.replace("unit: ms", f"unit: {text}"),
            "a key": lambda text: f"{good}{text}: 3\n",
            "a parameter": lambda text: good.replace("base: {", f"{text}: {{"),
            "a key of a parameter": lambda text: good.replace("{default: 5", f"{{{text}: 5"),
            "a default": lambda text: good.replace("default: 5", f"default: {text}"),
            "an end of a range": lambda text: good.replace("[1, 100]", f"[1, {text}]"),
            "a word of a parameter": lambda text: good.replace("[none, full]", f"[none, {text}]"),
            "an argument": lambda text: good.replace("after: {", f"{text}: {{"),
            "a word of an argument": lambda text: good.replace("throttled", text),
            "a formula": lambda text: re.sub(r"(?s)delay: .*\n(?=while)", lambda _: f"delay: {text}\n", good),
            "a condition": lambda text: good.replace("error != fatal", text),
            "a reading": lambda text: good.replace("while: error != fatal", f"while: {{{text}: error != fatal, b: error != throttled}}"),
            "a hazard": lambda text: f"{good}hazards: {{delay: {{{text}: 3}}}}\n",
            "what hazards are of": lambda text: f"{good}hazards: {{{text}: {{a: 3}}}}\n",
            "a draw": lambda text: f'{good}draws: {{{text}: "uniform(0, 1)"}}\n',
            "a limit": lambda text: f"{good}attempts: {text}\n",
            "ends": lambda text: f"{good}ends: {text}\n",
            "seeds": lambda text: f"{good}seeds: {text}\n",
            "then": lambda text: f"{good}delays: [1]\nthen: {text}\n",
            "where": lambda text: f"{good}where: {text}\n",
            "counts": lambda text: f"{good}counts: {text}\n",
            "an anchor": lambda text: f"{good}hazards: *{text}\n",
            "another document": lambda text: f"{good}---\n{text}\n",
        }
        for place, written in places.items():
            for name, text in TEXTS.items():
                for quoted in (json.dumps(text[:3000]), text[:3000].replace("\n", " ")):
                    with self.row(place, name):
                        path.write_text(written(quoted))
                        run = oracle("check", str(path), "--", "/nonexistent")
                        self.refused(run)
                        self.assertRegex(run.err, r"mine\.yaml:\d+:\d+: ")
                        self.assertIsNone(CONTROL.search(run.err), run.err)

    def test_every_text_on_the_command_line_is_refused(self) -> None:
        path = subjects(self.folder)[1].system
        for name, text in TEXTS.items():
            text = text[:3000].replace("\0", "")
            for words in (["eval", path, f"{text}=1"], ["eval", path, f"jitter={text}"], ["eval", path, f"steps=next:{text}"],
                          ["check", path, "--claim", text, "--", "x"], ["check", path, "--range", f"error={text}", "--", "x"],
                          ["check", path, "--reading", text, "--", "x"],
                          ["replay", f"mine/base=7,jitter={text}/next", "--policy", path, "--", "x"],
                          ["replay", f"mine/base=7,jitter=full/next:{text}", "--policy", path, "--", "x"], ["explain", text],
                          ["plan", f"{path}:{text}=1"], ["check", f"{text}.yaml", "--", "x"]):
                with self.row(name, *words[:3]):
                    run = oracle(*words)
                    self.refused(run)
                    self.assertIsNone(CONTROL.search(run.err), run.err)


def texts_in(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where in a message there are texts."""
    if isinstance(value, str):
        yield path
    for key, part in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from texts_in(part, (*path, key))


class TextsOfResults(ReportTest):
    def reported(self, file: pathlib.Path, policy: list[str]) -> None:
        page = self.folder / "page.html"
        for form, options in (("--format=human", []), ("--format=json", ["--format", "json"]),
                              ("--format=markdown", ["--format", "markdown"]), ("--output", ["-o", str(page)])):
            page.unlink(missing_ok=True)
            run = self.report(file, options=[*policy, *options])
            harmless(self, "--format=human", run.err)
            if run.code in (2, 4):  # 4: the file's state is not that of its answers
                self.assertEqual(run.out, "")
                return
            harmless(self, form, page.read_text() if form == "--output" else run.out)

    def test_a_file_that_somebody_changed_and_sealed_is_text_or_refused(self) -> None:
        for subject in subjects(self.folder):
            for how in ("fails", "dies"):
                path, _ = self.results(saying(how, "fence"), system=subject.system, cases=4)
                lines = [json.loads(line) for line in path.read_text().splitlines()]
                del lines[-1]["sha256"]
                firsts = {tuple(line): number for number, line in reversed(list(enumerate(lines)))}
                for number in firsts.values():
                    for place in texts_in(lines[number]):
                        with self.row(subject.system[-10:], how, number, place):
                            changed = copy.deepcopy(lines)
                            part = functools.reduce(operator.getitem, place[:-1], changed[number])
                            part[place[-1]] = TEXTS["both"] + TEXTS["lines"]
                            self.reported(self.sealed(*changed), subject.policy)


class PlantedTexts(ReportTest):
    """Each of these checks sees its fault."""

    def test_each_is_seen(self) -> None:
        for form, text in (("--output", "<p>" + "<script></script>" * SCRIPTS + f"<p>{MARKUP}"),
                           ("--output", "<script></script>" * SCRIPTS + "<p onclick='x()'>"),
                           ("--output", "<script></script>" * SCRIPTS + "<a href='http://localhost'>x</a>"),
                           ("--output", "<script></script>" * SCRIPTS + "\u202e"),
                           ("--format=markdown", "| a | b |\n|---|---|\n| `|` | c |\n"), ("--format=markdown", "- <b>x</b>\n"),
                           ("--format=markdown", "```text\n```\n```\n"), ("--format=human", "verdict: a\nverdict: b\n"),
                           ("--format=human", "verdict: \x1b[2J\n"), ("--format=json", '"\x9b"')):
            with self.row(form, text):
                self.assertNotEqual(faults(form, text), [])
        for form in ("--junit", "--format=json", "--certificate", "--results"):
            with self.row(form), self.assertRaises((xml.etree.ElementTree.ParseError, ValueError)):
                faults(form, f'<a b="{MARKUP}">')


if __name__ == "__main__":
    running.main(__doc__)
