"""What the sources define, whether or not anything was ever compiled from it.

Coverage data knows only the code that was emitted, and a template that nobody instantiates leaves no trace in it. So coverage_gate needs
a second opinion: universal-ctags finds the named functions, and a small bracket matcher the lambdas. coverage_gate also reports
each function that the compiler saw and this module did not.

Used by: coverage_gate, whose test covers it; fuzz/reached.py.
"""
import dataclasses
import json
import pathlib
import re
import subprocess
import tempfile

SUFFIXES = {".hpp", ".h", ".cpp", ".hh", ".hxx", ".ipp", ".tpp", ".inl", ".cc", ".cxx"}


@dataclasses.dataclass(frozen=True)
class Definition:
    name: str
    line: int  # of its name
    end: int


@dataclasses.dataclass
class Source:
    """Without functions that only the compiler runs."""
    named: list[Definition]
    lambdas: dict[tuple[int, int], int]  # the lines where they begin, by the lines and columns of their bodies


_NOT_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"'
    r'|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Za-z_])\'(?:\\.|[^\'\\\n])*\'', re.S)
_BRACKETS = {"(": ")", "[": "]", "{": "}", "<": ">"}


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def _line(code: str, at: int) -> int:
    return code.count("\n", 0, at) + 1


def after(code: str, start: int) -> int:
    """The index behind the bracket that closes the one at start, and behind the space that follows."""
    opening, depth, at = code[start], 0, start
    while at < len(code):
        if opening == "<" and code[at] in "([{":  # a > in there is an operator
            at = after(code, at)
            continue
        depth += (code[at] == opening) - (code[at] == _BRACKETS[opening])
        at += 1
        if depth == 0:
            break
    return len(code) - len(code[at:].lstrip())


def _for_ctags(code: str) -> str:
    """ctags 5.9 loses functions whose template header has a default argument and functions whose requires-clause has an ||.
    Neither matters for where they are."""
    for header in re.finditer(r"\btemplate\s*(?=<)", code):
        begin, end = header.end() + 1, code.rindex(">", 0, after(code, header.end()))
        code = code[:begin] + _blank(code[begin:end]) + code[end:]
    return re.sub(r"(?<!operator)\|\|", "&&", code)


def _named(path: pathlib.Path, code: str) -> list[Definition]:
    with tempfile.TemporaryDirectory() as directory:
        masked = pathlib.Path(directory, path.name)
        masked.write_text(_for_ctags(code), encoding="latin-1")
        command = ["ctags", "--options=NONE", "--output-format=json", "--language-force=C++", "--kinds-C++=f", "--fields=+ne", "--sort=no"]
        output = subprocess.run([*command, "-f", "-", masked], check=True, capture_output=True, text=True).stdout
    tags = [json.loads(line) for line in output.splitlines()]
    # Lambdas, which ctags calls __anon…, are left to _lambdas: ctags does not see them all.
    return [Definition(tag["name"], tag["line"], tag.get("end", tag["line"])) for tag in tags
            if tag["_type"] == "tag" and not tag["name"].startswith("__anon")]


def _lambdas(code: str) -> dict[tuple[int, int], int]:
    found = {}
    for bracket in re.finditer(r"\[(?!\[)", code):
        before = code[:bracket.start()].rstrip()
        word = re.search(r"\w+$", before)
        subscript = word and word[0] not in {"return", "co_return", "co_yield", "case", "else", "throw"}
        if subscript or before[-1:] in {")", "]", "["}:
            continue
        at = after(code, bracket.start())
        if re.match(r"[({<]|->|(mutable|constexpr|noexcept|requires|static)\b", code[at:at + 20]):
            at = after(code, at) if code[at] == "<" else at
            while at < len(code) and code[at] not in "{;":
                at = after(code, at) if code[at] in "([" else at + 1
            if code[at:at + 1] == "{":
                found[_line(code, at), at - code.rfind("\n", 0, at)] = _line(code, bracket.start())
    return found


def read(path: pathlib.Path) -> Source:
    # Without comments and literals, every character in its place; in latin-1, one for each byte, as the compiler counts columns.
    code = _NOT_CODE.sub(lambda match: _blank(match[0]), path.read_text(encoding="latin-1"))
    consteval = {line for match in re.finditer(r"\bconsteval\b[^;{}]*", code)
                 for line in range(_line(code, match.start()), _line(code, match.end()) + 1)}
    named = _named(path, code)
    never_emitted = {line for one in named if one.line in consteval for line in range(one.line, one.end + 1)}
    return Source([one for one in named if one.line not in never_emitted],
                  {body: line for body, line in _lambdas(code).items() if line not in never_emitted})
