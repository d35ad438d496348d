#!/usr/bin/python3
"""Every link between files of the repository leads somewhere: from each Markdown page, to a file and to a heading in it. And every
path that a page or a comment names is the end of a path of the repository, from whichever folder it counts.

A link names a file, because a folder has no page on the site. Addresses on the network are not visited. A word is a path where it
begins with a folder of the root or of properties/, or ends as a source does; in a path, STEM, *, {...} and their like are any
name. Blocks of code on pages are not read: what they name may be made there.

Usage: coverage/links_test.py [ROOT]        Exit: 0 all lead somewhere, 1 some do not, each on a line.
"""
import ast
import io
import pathlib
import re
import sys
import tokenize
from collections.abc import Iterator

import markdown_pages
import places

PATH = re.compile(r"(?<![\w/.<$~@:=-])(?:\.\./)*((?:\.?[\w*{},-][\w*{},.-]*/)+[\w*{},.-]*[\w*}])")
ANY = re.compile(r"\*+|\{[^}]*\}|…|\b(?:STEM|NAME|LANGUAGE|PACKAGE|KIND|FORM|FOLDER)\b")
SOURCE = re.compile(r"\.(?:hpp|cpp|[ch]|py|md|ya?ml|json|cmake|def|js)$")
ELSEWHERE = ("build/", "share/", "doc/")  # what a build makes, what is installed, and what gRPC has
SLASHES = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
HASHES = re.compile(r"#[^\n]*")
COMMENTS = {**dict.fromkeys((".hpp", ".cpp", ".h", ".c"), SLASHES), **dict.fromkeys((".cmake", ".yaml", ".yml"), HASHES)}


def texts(path: pathlib.Path) -> Iterator[tuple[int, str]]:
    """The texts of the file that may name paths, each with the line on which it begins."""
    try:
        text = path.read_text()
    except UnicodeDecodeError:
        return
    if path.suffix == ".md":
        yield 1, markdown_pages.LINK.sub("](", markdown_pages.FENCED.sub(lambda block: "\n" * block[0].count("\n"), text))
    elif path.suffix == ".py" or re.match("#!.*python3", text):
        yield from ((token.start[0], token.string) for token in tokenize.generate_tokens(io.StringIO(text).readline)
                    if token.type == tokenize.COMMENT)
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                yield node.body[0].lineno if node.body else 1, ast.get_docstring(node, clean=False) or ""
    else:
        comment = HASHES if path.name == "CMakeLists.txt" else COMMENTS.get(path.suffix)
        for found in comment.finditer(text) if comment else ():
            yield text.count("\n", 0, found.start()) + 1, found[0]


def lost_paths(root: pathlib.Path) -> Iterator[str]:
    tops = [top for top in root.iterdir() if top.name not in markdown_pages.NOT_OURS]
    files = sorted(path for top in tops for path in ([top] if top.is_file() else top.rglob("*")) if path.is_file())
    there = {path.relative_to(root).as_posix() for file in files for path in (file, *file.parents) if root in path.parents}
    ends = {path.split("/", times)[times] for path in there for times in range(path.count("/") + 1)}
    begins = tuple(f"{folder.name}/" for folder in (*root.iterdir(), *(root / "properties").iterdir()) if folder.is_dir())
    for file in files:
        for first, text in texts(file):
            for found in PATH.finditer(text):
                path = found[1]
                if path.startswith(ELSEWHERE) or ANY.match(path) or not (path.startswith(begins) or SOURCE.search(path)) or path in ends:
                    continue
                any_name = re.compile("[^/]*".join(map(re.escape, ANY.split(path))))
                if not (ANY.search(path) and any(map(any_name.fullmatch, ends))):
                    line = first + text.count("\n", 0, found.start())
                    yield f"{file.relative_to(root)}:{line}: {path}: expected the end of a path of the repository"


def dead_links(root: pathlib.Path) -> Iterator[str]:
    anchors = {}
    for page in markdown_pages.paths(root):
        for link in markdown_pages.links(page.read_text()):
            if link.startswith(("http:", "https:", "mailto:")):
                continue
            name, _, anchor = link.partition("#")
            target = (page.parent / name).resolve() if name else page
            if not target.is_relative_to(root) or not target.is_file():
                yield f"{page.relative_to(root)}: {link}: expected a file of the repository"
            elif anchor:
                if target not in anchors:
                    anchors[target] = markdown_pages.anchors(target.read_text())
                if anchor not in anchors[target]:
                    yield f"{page.relative_to(root)}: {link}: expected one of the headings there: {', '.join(sorted(anchors[target]))}"


def main() -> int:
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1]).resolve()
    return places.report([*dead_links(root), *lost_paths(root)], "links: {} dead")


if __name__ == "__main__":
    sys.exit(main())
