#!/usr/bin/python3
"""The pages for users keep to plain English: subject first, active, one idea a sentence. A short list of what crept in before.

Pages under spec/ are notes on documents, and FINDINGS.md is made of the gallery's records: neither is read here. The README fits a
few screens, and a page of the documentation can be read at a sitting: LINES_MAX.

Usage: coverage/prose_test.py [ROOT]        Exit: 0 plain, 1 not, each place on a line with what to write instead.
"""
import pathlib
import re
import sys
from collections.abc import Iterator

import markdown_pages
import places

NOT_READ = {"spec", "FINDINGS.md"}
LINES_MAX = {"README.md": 150, "properties/oracle/docs": 300}
README_BYTES_MAX = 9000
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
# Pattern -> what to write instead. A sentence begins a line, a cell or an item, or follows a full stop.
BEGIN = r"(?:^|[.:] |\| |- |\* )"
PLAIN = {
    BEGIN + r"Who \w+s\b": "a subject, or an imperative with its purpose first: 'To do X, ...'",
    BEGIN + r"(?:What|Whatever) [^.|?]{1,60}\b(?:is|are|does|do|counts?|fails?)\b(?![^.|]*\?)": "a noun as the subject",
    BEGIN + r"Here (?:is|are)\b": "the subject first",
    r"\bthere stands\b|\bstands? (?:in|at|there|for itself|behind)\b": "'is', 'is in'",
    r"\bit is said\b|\bis said (?:in|by|of|to)\b": "who says it: 'the verdict says'",
    r"\balone(?=[.,;:)]| \|)": "'only', before what it limits",
    r"\bdoes not any more\b|\bany more\b": "'no longer'",
    r"\bhow manieth\b": "'which one, counted from'",
    r"\b(?:nobody|no one)'s (?:business|affair)\b|\ba compiler's affair\b": "what decides it",
    r"\bput to these values\b": "'use these values'",
    r"\bsays? so\b": "'declares this', 'states this'",
    r"\bin another house\b": "'by someone else'",
    r"\bfor who(?:ever)?\b": "'for users who', 'for readers who'",
    r"\bbesides\.": "'too', or leave it out",
    r"\bwhich hangs together\b|\bcomes? about\b": "'works', 'happens'",
}
COMPILED = [(re.compile(pattern, re.MULTILINE), instead) for pattern, instead in PLAIN.items()]


def prose(text: str) -> str:
    """The text without code and comments, every line where it was."""
    for left_out in (markdown_pages.FENCED, COMMENT):
        text = left_out.sub(lambda match: "\n" * match[0].count("\n"), text)
    return markdown_pages.CODE.sub("`code`", text)


def faults(root: pathlib.Path) -> Iterator[str]:
    for page in markdown_pages.paths(root):
        name = page.relative_to(root)
        if NOT_READ & set(name.parts):
            continue
        text = prose(page.read_text())
        for pattern, instead in COMPILED:
            for found in pattern.finditer(text):
                line = text.count("\n", 0, found.end()) + 1
                yield f"{name}:{line}: '{found[0].strip()}': expected {instead}"


def too_long(root: pathlib.Path) -> Iterator[str]:
    for place, most in LINES_MAX.items():
        pages = [root / place] if place.endswith(".md") else sorted((root / place).glob("*.md"))
        for page in pages:
            lines = len(page.read_text().splitlines())
            if lines > most:
                yield f"{page.relative_to(root)}: {lines} lines, expected at most {most}"
    size = (root / "README.md").stat().st_size
    if size > README_BYTES_MAX:
        yield f"README.md: {size} bytes, expected at most {README_BYTES_MAX}"


def main() -> int:
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1]).resolve()
    return places.report([*faults(root), *too_long(root)], "prose: {} places")


if __name__ == "__main__":
    sys.exit(main())
