"""Reads the page of a document, spec/STEM/system.yaml. What is wrong in it is told with its place and what was expected.

cpp_of_pages.py writes what C++ takes from pages; .github/CONTRIBUTING.md explains their keys.
Checked by: coverage/system_page_test.py.
"""
import pathlib
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import yaml

SPEC = pathlib.Path(__file__).resolve().parent
FEATURES = ("instances", "clock_script", "nulls", "faults", "live", "state", "total_time", "errors", "custom_policy", "fresh_process")
STRENGTHS = ("must", "recommended", "may", "interface")
STANDINGS = ("canonical", "open", "hazard")
ID = re.compile(r"[A-Z][A-Z0-9]*([-_][A-Z0-9]+)+")
NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*")
KEBAB = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
NUMBER = re.compile(r"(-?)(?:(\d+)|2\^(\d+)(?: ([+-]) (\d+))?)")


class Wrong(Exception):
    """A page that is wrong; the text says where, and what was expected."""


class Node:
    """A value of a page, and where it stands."""

    def __init__(self, path: pathlib.Path, node: yaml.Node) -> None:
        self.path = path
        self.node = node

    def wrong(self, expected: str) -> NoReturn:
        value = f"'{self.node.value}'" if isinstance(self.node, yaml.ScalarNode) else "a list or a mapping"
        raise Wrong(f"{self.path}:{self.node.start_mark.line + 1}: {value}: expected {expected}")

    def text(self, pattern: re.Pattern[str] | None = None, expected: str = "a text") -> str:
        if not isinstance(self.node, yaml.ScalarNode) or not self.node.value or (pattern and not pattern.fullmatch(self.node.value)):
            self.wrong(expected)
        return str(self.node.value)

    def one_of(self, words: tuple[str, ...] | list[str]) -> str:
        text = self.text()
        return text if text in words else self.wrong(f"one of {', '.join(words)}")

    def number(self, places: int = 0) -> int:
        """In units of the last place: 1.5 of 3 places is 1500. A whole number may be written 2^32 - 1."""
        if places:
            decimal = re.fullmatch(r"(\d+)(?:\.(\d+))?", self.text())
            if not decimal or len(decimal[2] or "") > places:
                self.wrong(f"a number with at most {places} places")
            return int(decimal[1] + (decimal[2] or "").ljust(places, "0"))
        found = NUMBER.fullmatch(self.text())
        if not found:
            self.wrong("a whole number, such as 65535 or 2^16 - 1")
        sign, digits, power, way, by = found.groups()
        value = int(digits) if digits else 2 ** int(power)
        return (-value if sign else value) + (int(by) if way == "+" else -int(by) if way else 0)

    def items(self) -> list["Node"]:
        if not isinstance(self.node, yaml.SequenceNode):
            self.wrong("a list, [a, b]")
        return [Node(self.path, item) for item in self.node.value]

    def texts(self, pattern: re.Pattern[str] | None = None, expected: str = "a text") -> list[str]:
        return [item.text(pattern, expected) for item in self.items()]

    def members(self) -> Iterator[tuple["Node", "Node"]]:
        if not isinstance(self.node, yaml.MappingNode):
            self.wrong("a mapping")
        seen: set[str] = set()
        for key, value in self.node.value:
            name = Node(self.path, key)
            if name.text() in seen:
                name.wrong("each key once")
            seen.add(name.text())
            yield name, Node(self.path, value)

    def mapping(self, *known: str, needed: tuple[str, ...] = ()) -> dict[str, "Node"]:
        """Its values by key. Every key must be one of these, and those of `needed` must be there."""
        found: dict[str, Node] = {}
        for key, value in self.members():
            found[key.one_of([*needed, *known])] = value
        for name in needed:
            if name not in found:
                raise Wrong(f"{self.path}:{self.node.start_mark.line + 1}: '{name}' is missing")
        return found


@dataclass(frozen=True)
class Field:
    """A parameter or an argument: see `field` in properties/histories/shape.hpp."""
    name: str
    kind: str
    low: int
    high: int
    words: tuple[str, ...]
    specials: tuple[tuple[int, str], ...]
    scale: int
    written: str
    needs: str
    left_out: int
    unless: str
    last_word_needs: str
    usual_low: int | None
    by_default: int | None
    only: tuple[int, int] | None  # it exists only where that parameter is that word
    object_: str

    @property
    def optional(self) -> bool:
        return bool(self.left_out or self.needs or self.unless or self.only or self.kind == "draw")


@dataclass(frozen=True)
class Call:
    name: str
    weight: int
    optional: bool
    outlasts_reset: bool
    arguments: list[Field]


@dataclass(frozen=True)
class Answer:
    name: str
    words: tuple[str, ...]
    written: str
    is_delay: bool
    only: tuple[int, int] | None
    calls: list[int] | None
    if_zero: int | None
    needs: str
    optional: bool
    object_: str


@dataclass(frozen=True)
class Claim:
    name: str
    says: str
    by: list[str]
    strength: str
    needs: str
    draws: str
    compares: str
    told_by: int | None
    rule: str
    of_rule: str
    starts_from: str
    leans_on: list[str]


@dataclass
class Page:
    stem: str
    document: dict[str, str]
    formula: str
    features: list[str]
    remembers: bool
    policy: str
    parameters: list[Field]
    calls: list[Call]
    answers: list[Answer]
    requirements: list[dict[str, Any]]
    readings: list[dict[str, Any]]
    claims: list[Claim]

    def catalogue(self) -> dict[str, Any]:
        """Requirements and readings, as `backoff-oracle` has them."""
        return {"system": self.stem, "document": self.document, "formula": self.formula,
                "requirements": self.requirements, "readings": self.readings}


def times_of_16(node: Node | None) -> int:
    if node is None:
        return 0
    return int(node.text(re.compile(r"(\d|1[0-5]) of 16"), "how often, as `4 of 16`").split()[0])


def feature(node: Node | None) -> str:
    return node.one_of(FEATURES) if node else ""


def flag(node: Node | None) -> bool:
    return node is not None and node.one_of(("true", "false")) == "true"


def place(node: Node, name: str, among: Sequence["Field | Answer"]) -> int:
    names = [each.name for each in among]
    return names.index(name) if name in names else node.wrong(f"one of {', '.join(names)}")


def companion(node: Node | None, among: Sequence["Field | Answer"]) -> tuple[int, int] | None:
    """Which of them must hold which of its words, written `NAME WORD`."""
    if node is None:
        return None
    name, _, word = node.text().partition(" ")
    at = place(node, name, among)
    words = among[at].words
    return (at, words.index(word)) if word in words else node.wrong(f"{name} and one of {', '.join(words)}")


def fields(name: str, node: Node, parameters: list[Field]) -> Iterator[Field]:
    """The field; of a list, as many as it can have items."""
    given = node.mapping("is", "places", "list", "range", "words", "usually from", "default", "left out", "needs", "unless",
                         "last word needs", "only", "in", "further", "try")
    kind = given["is"].one_of(("draw", "boolean", "set")) if "is" in given else ""
    scale = given["places"].number() if "places" in given else 0
    low, high = 0, 0
    if "range" in given:
        ends = given["range"].items()
        if len(ends) != 2 or ends[0].number(scale) > ends[1].number(scale):
            given["range"].wrong("[LOW, HIGH]")
        low, high = (end.number(scale) for end in ends)
    words = tuple(given["words"].texts()) if "words" in given else ("false", "true") if kind == "boolean" else ()
    if not kind:
        if "range" not in given and not words:
            node.wrong("`range`, `words` or `is`")
        kind = "decimal" if scale else "integer" if "range" in given else "keyword"
    specials = []
    for key, why in given["try"].members() if "try" in given else ():
        if not low <= key.number(scale) <= high:
            key.wrong("a value inside `range`")
        specials.append((key.number(scale), why.text()))
    first = Field(name=name, kind="keyword" if kind == "boolean" else kind, low=low, high=high, words=words, specials=tuple(specials),
                  scale=scale, written="boolean" if kind == "boolean" else "list" if flag(given.get("list")) else "text",
                  needs=feature(given.get("needs")), left_out=times_of_16(given.get("left out")), unless=feature(given.get("unless")),
                  last_word_needs=feature(given.get("last word needs")),
                  usual_low=given["usually from"].number(scale) if "usually from" in given else None,
                  by_default=given["default"].number(scale) if "default" in given else None,
                  only=companion(given.get("only"), parameters),
                  object_=given["in"].text(NAME, "a name") if "in" in given else "")
    yield first
    if "further" in given:
        further = given["further"].mapping("needs", needed=("times", "left out"))
        for _ in range(further["times"].number()):
            yield Field(**{**vars(first), "written": "item", "needs": feature(further.get("needs")),
                           "left_out": times_of_16(further["left out"])})


def all_fields(node: Node, parameters: list[Field] | None = None) -> list[Field]:
    """The parameters; with these, the arguments of a call."""
    read: list[Field] = []
    for key, value in node.members():
        read += fields(key.text(NAME, "a name"), value, read if parameters is None else parameters)
    return read


def read_calls(node: Node, parameters: list[Field]) -> list[Call]:
    calls = []
    for key, value in node.members():
        given = value.mapping("weight", "optional", "outlasts reset", "arguments")
        calls.append(Call(key.text(NAME, "a name"), given["weight"].number() if "weight" in given else 1, flag(given.get("optional")),
                          flag(given.get("outlasts reset")), all_fields(given["arguments"], parameters) if "arguments" in given else []))
    return calls


def read_answers(node: Node, calls: list[Call]) -> list[Answer]:
    answers: list[Answer] = []
    names = [call.name for call in calls]
    for key, value in node.members():
        given = value.mapping("words", "is", "first word", "only", "calls", "if zero", "needs", "optional", "in")
        kind = given["is"].one_of(("boolean", "delay")) if "is" in given else ""
        if "first word" in given:
            given["first word"].one_of(("implied",))
        answers.append(Answer(
            name=key.text(NAME, "a name"), is_delay=kind == "delay", only=companion(given.get("only"), answers),
            words=("false", "true") if kind == "boolean" else tuple(given["words"].texts()) if "words" in given else (),
            written="boolean" if kind == "boolean" else "implied" if "first word" in given else "text",
            calls=[names.index(call.one_of(names)) for call in given["calls"].items()] if "calls" in given else None,
            if_zero=place(given["if zero"], given["if zero"].text(), answers) if "if zero" in given else None,
            needs=feature(given.get("needs")), optional=flag(given.get("optional")),
            object_=given["in"].text(NAME, "a name") if "in" in given else ""))
    if not answers or "error" not in answers[0].words:
        node.wrong("first a status with the word error")
    return answers


def read_readings(node: Node, stem: str, ids: list[str]) -> list[dict[str, Any]]:
    readings = []
    for key, value in node.members():
        given = value.mapping("told apart by", needed=("asks", "rests on", "alternatives"))
        alternatives = []
        for name, alternative in given["alternatives"].members():
            says = alternative.mapping(*STANDINGS, "answers", "under")
            standing = [word for word in STANDINGS if word in says]
            if len(standing) != 1:
                name.wrong(f"one of {', '.join(STANDINGS)} in it")
            of_it: dict[str, Any] = {"name": name.text(KEBAB, "a name-with-dashes"), "standing": standing[0],
                                     "text": says[standing[0]].text()}
            if "answers" in says:
                of_it["answers"] = says["answers"].texts()
            if "under" in says:
                of_it["under"] = {other.text(): chosen.text() for other, chosen in says["under"].members()}
            alternatives.append(of_it)
        if [each["standing"] for each in alternatives].count("canonical") != 1 or len(alternatives) < 2:
            given["alternatives"].wrong("two or more, one of them canonical")
        readings.append({"name": key.text(KEBAB, "a name-with-dashes"), "question": given["asks"].text(),
                         "rests_on": [each.one_of(ids) for each in given["rests on"].items()], "alternatives": alternatives,
                         "told_apart_by": f"{stem}/{given['told apart by'].text()}" if "told apart by" in given else "statistics"})
    return readings


def read_requirements(node: Node) -> list[dict[str, Any]]:
    requirements = []
    for key, value in node.members():
        given = value.mapping(*STRENGTHS, "unchecked", needed=("place", "formula"))
        strength = [word for word in STRENGTHS if word in given]
        if len(strength) != 1:
            key.wrong(f"one of {', '.join(STRENGTHS)} in it")
        requirement = {"id": key.text(ID, "an id, such as AWS-BA-001"), "place": given["place"].text(), "strength": strength[0],
                       "text": given[strength[0]].text(), "formula": given["formula"].text(), "readings": []}
        if "unchecked" in given:
            requirement["unchecked"] = given["unchecked"].text()
        requirements.append(requirement)
    return requirements


def read_claims(node: Node, answers: list[Answer], ids: list[str]) -> list[Claim]:
    claims: list[Claim] = []
    parts = {"case of": "special_case", "part of": "rule", "bound of": "bound"}
    named = [key.text(NAME, "a name") for key, _ in node.members()]
    fields_of_answers = [answer.name for answer in answers]
    for key, value in node.members():
        given = value.mapping("strength", "needs", "draws", "compares", "told by", "starts from", "leans on", *parts,
                              needed=("says", "by"))
        part = [word for word in parts if word in given]
        if len(part) > 1:
            key.wrong(f"at most one of {', '.join(parts)} in it")
        claims.append(Claim(
            name=key.text(), says=given["says"].text(), by=[each.one_of(ids) for each in given["by"].items()],
            strength=given["strength"].one_of(("recommended", "interface")) if "strength" in given else "must",
            needs=feature(given.get("needs")),
            draws=given["draws"].one_of(("uniform", "independent", "seeded")) if "draws" in given else "",
            compares=given["compares"].one_of(("instances", "reset", "repeats")) if "compares" in given else "",
            told_by=fields_of_answers.index(given["told by"].one_of(fields_of_answers)) if "told by" in given else None,
            rule=given[part[0]].text() if part else "", of_rule=parts[part[0]] if part else "",
            starts_from=given["starts from"].one_of(named) if "starts from" in given else "",
            leans_on=[each.one_of(named) for each in given["leans on"].items()] if "leans on" in given else []))
    return claims


def read(path: pathlib.Path) -> Page:
    try:
        root = yaml.compose(path.read_text(), Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader))
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise Wrong(f"{path}:{line}: {error.problem}: expected YAML") from error
    if root is None:
        raise Wrong(f"{path}:1: empty: expected a page")
    given = Node(path, root).mapping("remembers", "policy", needed=(
        "document", "formula", "features", "parameters", "calls", "answers", "requirements", "readings", "claims"))
    stem = path.parent.name
    document = given["document"].mapping(needed=("name", "title", "publisher", "version"))
    parameters = all_fields(given["parameters"])
    calls = read_calls(given["calls"], parameters)
    answers = read_answers(given["answers"], calls)
    requirements = read_requirements(given["requirements"])
    ids = [each["id"] for each in requirements]
    readings = read_readings(given["readings"], stem, ids)
    for requirement in requirements:
        requirement["readings"] = [each["name"] for each in readings if requirement["id"] in each["rests_on"]]
    return Page(stem, {key: value.text() for key, value in document.items()}, given["formula"].text(),
                [each.one_of(FEATURES) for each in given["features"].items()], "remembers" not in given or flag(given["remembers"]),
                given["policy"].text() if "policy" in given else "",
                parameters, calls, answers, requirements, readings,
                read_claims(given["claims"], answers, ids))


def pages() -> list[Page]:
    return [read(path) for path in sorted(SPEC.glob("*/system.yaml"))]


def generate(usage: str | None, write_all: Callable[[pathlib.Path, list[Page]], None]) -> int:
    """A program that writes what it makes of all pages into a folder: its exit code."""
    if len(sys.argv) != 2:
        print(usage, file=sys.stderr)
        return 2
    try:
        all_pages = pages()
    except Wrong as wrong:
        print(wrong, file=sys.stderr)
        return 1
    write_all(pathlib.Path(sys.argv[1]), all_pages)
    return 0
