"""What the sources define, whether or not anything was ever compiled from it.

Coverage data knows only what code was emitted for.  A template nobody
instantiates, a static function nobody calls and an arm of `if constexpr` no
instance selects leave no trace in it, so coverage_gate needs a second opinion on
what there is to cover: universal-ctags for named functions, small bracket
matchers for bodies, for lambdas and for the arms of `if constexpr`.

coverage_gate also reports every function the compiler saw and this module did
not, so that a blind spot here shows up in the first test that reaches it.
"""

import dataclasses
import json
import pathlib
import re
import subprocess
import tempfile
from typing import Any

SUFFIXES = {".hpp", ".h", ".cpp", ".hh", ".hxx", ".ipp", ".tpp", ".inl", ".cc", ".cxx"}


Place = tuple[int, int]  # a line and a column, as compilers count them


@dataclasses.dataclass(frozen=True)
class Definition:
    name: str
    line: int  # of its name
    end: int
    initialisers: Place | None  # of a constructor
    body: Place | None  # of its brace

    def begins_at(self, place: Place) -> bool:
        """Where clang may have it begin: at the brace, or in the first initialiser."""
        return self.body is not None and (self.initialisers or self.body) <= place <= self.body


@dataclasses.dataclass
class Source:
    """code: the text without comments and literals, every character in its place; named: ctags' functions; lambdas: the lines
    where they begin, by the places of their bodies; arms: where each begins; never_emitted: lines that only the compiler runs."""
    code: str
    named: list[Definition]
    lambdas: dict[Place, int]
    arms: list[Place]
    never_emitted: set[int]


_NOT_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"'
    r'|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Za-z_])\'(?:\\.|[^\'\\\n])*\'', re.S)
_BRACKETS = {"(": ")", "[": "]", "{": "}"}


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def _closing(code: str, start: int) -> int:
    """Index of the bracket that closes the one at start; the end of the text if none does."""
    opening, closing = code[start], _BRACKETS[code[start]]
    depth = 0
    for at in range(start, len(code)):
        depth += (code[at] == opening) - (code[at] == closing)
        if depth == 0:
            return at
    return len(code) - 1


def _line(code: str, at: int) -> int:
    return code.count("\n", 0, at) + 1


def _place(code: str, at: int) -> Place:
    return _line(code, at), at - code.rfind("\n", 0, at)


def _skip_space(code: str, at: int) -> int:
    return at + len(code[at:]) - len(code[at:].lstrip())


def _template_header_end(code: str, at: int) -> int | None:
    """Index of the > that closes the < at `at`, or None if that cannot be told."""
    depth = 0
    while at < len(code) and code[at] not in ";{}":
        if code[at] == "(":
            at = _closing(code, at)
        depth += (code[at] == "<") - (code[at] == ">")
        if depth == 0:
            return at
        at += 1
    return None


def _for_ctags(code: str) -> str:
    """ctags 5.9 loses functions whose template header has a default argument and
    functions whose requires-clause has an ||; neither matters for where they are."""
    for header in re.finditer(r"\btemplate\s*<", code):
        begin = header.end() - 1
        end = _template_header_end(code, begin)
        if end:
            code = code[:begin + 1] + _blank(code[begin + 1:end]) + code[end:]
    return re.sub(r"(?<!operator)\|\|", "&&", code)


def _ctags(path: pathlib.Path, code: str) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as directory:
        masked = pathlib.Path(directory, path.name)
        masked.write_text(_for_ctags(code), encoding="latin-1")
        command = ["ctags", "--options=NONE", "--output-format=json", "--language-force=C++",
                   "--kinds-C++=f", "--fields=+ne", "--sort=no", "-f", "-", str(masked)]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    tags = [json.loads(line) for line in output.splitlines()]
    # Lambdas are left to _lambdas: ctags does not see them all.
    return [tag for tag in tags if tag["_type"] == "tag" and not tag["name"].startswith("__anon")]


def _is_consteval(code: str, tag: dict[str, Any]) -> bool:
    """No code is emitted for a consteval function; ctags does not say which ones are."""
    lines = code.split("\n")
    column = lines[tag["line"] - 1].find(tag["name"].split()[-1])
    before = "\n".join([*lines[:tag["line"] - 1], lines[tag["line"] - 1][:max(column, 0)]])
    return "consteval" in re.split(r"[;{}]", before)[-1].split()


def _body(code: str, at: int) -> tuple[int | None, int | None]:
    """Indices of the initialisers and of the body of the function whose parameters are at or after `at`."""
    initialisers = None
    between = False  # initialisers, or in the name of one
    while at < len(code) and code[at] != ";":
        if code[at] == "{" and not between:
            return initialisers, at
        if code[at] in _BRACKETS:
            at = _closing(code, at)
            between = between and re.match(r"\s*(\.\.\.)?\s*,", code[at + 1:at + 200]) is not None
        elif code[at] == ":" and ":" not in (code[at - 1], code[at + 1]):
            initialisers, between = _skip_space(code, at + 1), True
        at += 1
    return None, None


def _definitions(code: str, tags: list[dict[str, Any]]) -> list[Definition]:
    lines = [0, *(newline.end() for newline in re.finditer("\n", code))]
    definitions = []
    after: dict[tuple[str, int], int] = {}  # those of one name and line are in the order of the tags
    for tag in tags:
        key = tag["name"], tag["line"]
        name = r"\s*".join(map(re.escape, re.findall(r"\w+|[^\w\s]", tag["name"])))
        match = re.compile(name + r"\s*(<[^;{}]*>)?\s*(?=\()").search(code, after.get(key, lines[tag["line"] - 1]))
        found = _body(code, match.end()) if match else (None, None)
        after[key] = match.end() if match else len(code)
        places = [None if at is None else _place(code, at) for at in found]
        definitions.append(Definition(tag["name"], tag["line"], tag.get("end", tag["line"]), places[0], places[1]))
    return definitions


def _lambdas(code: str) -> dict[Place, int]:
    found = {}
    for bracket in re.finditer(r"\[(?!\[)", code):
        before = code[:bracket.start()].rstrip()
        word = re.search(r"\w+$", before)
        subscript = word and word[0] not in {"return", "co_return", "co_yield", "case", "else", "throw"}
        if subscript or before[-1:] in {")", "]", "["}:
            continue
        after = _skip_space(code, _closing(code, bracket.start()) + 1)
        if re.match(r"[({<]|->|(mutable|constexpr|noexcept|requires|static)\b", code[after:after + 20]):
            header = _template_header_end(code, after) if code[after] == "<" else None
            _, body = _body(code, after if header is None else header + 1)
            if body is not None:
                found[_place(code, body)] = _line(code, bracket.start())
    return found


def _arm(code: str, at: int) -> tuple[tuple[int, int], int]:
    """(first, last) index inside the statement at `at`, and the index after it."""
    if code[at:at + 1] == "{":
        end = _closing(code, at)
        return (at + 1, end - 1), end + 1
    end = code.find(";", at)
    return (at, end), end + 1


def _constexpr_arms(code: str) -> list[Place]:
    """Of each arm that has code to emit."""
    arms = []
    for match in re.finditer(r"\bif\s+constexpr\s*\(", code):
        start = _skip_space(code, _closing(code, match.end() - 1) + 1)
        spans, starts = [_arm(code, start)], [start]
        otherwise = re.compile(r"\s*else\b(?!\s*if\b)").match(code, spans[0][1])
        if otherwise:
            starts.append(_skip_space(code, otherwise.end()))
            spans.append(_arm(code, starts[-1]))
        for begin, ((first, last), _) in zip(starts, spans):
            content = code[first:last + 1]
            if content.strip(" \n\t;") and "static_assert" not in content:
                arms.append(_place(code, begin))
    return arms


def read(path: pathlib.Path) -> Source:
    # latin-1: one character per byte, as the compiler counts columns.
    code = _NOT_CODE.sub(lambda match: _blank(match[0]), path.read_text(encoding="latin-1"))
    tags = _ctags(path, code)
    never_emitted = {line for tag in tags if _is_consteval(code, tag)
                     for line in range(tag["line"], tag.get("end", tag["line"]) + 1)}
    named = _definitions(code, [tag for tag in tags if not _is_consteval(code, tag)])
    return Source(code, named, {body: line for body, line in _lambdas(code).items() if line not in never_emitted},
                  [arm for arm in _constexpr_arms(code) if arm[0] not in never_emitted], never_emitted)
