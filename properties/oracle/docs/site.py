#!/usr/bin/python3
"""Builds the documentation as a static site with search: every Markdown page of the repository, at its own place.

MkDocs reads the pages of one folder. This copies them there, with the files that they link to, so that links mean the same on
the site and in the repository. MkDocs leaves out folders whose names begin with a dot: `.github` is `github` there. Long names
may break after an underscore, a slash and the like, which Markdown cannot say.

Usage: properties/oracle/docs/site.py FOLDER        writes FOLDER/html/index.html
Exit: 0 built, 1 MkDocs refuses a page, or the navigation of mkdocs.yml lacks one, or FOLDER is not of a site, 2 there is no MkDocs.
"""
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
CONFIGURATION = pathlib.Path(__file__).with_name("mkdocs.yml")
MARKER = re.compile(r"<!-- (?:output|session|contents|table|picture|measured): .*? -->\n", re.DOTALL)
TAG = re.compile(r"(<[^>]+>)")
SCROLLED = re.compile(r"(<(?:table|pre))(?=>)")
AS_IT_IS = ("pre", "script", "style", "title", "svg")  # elements
LONG = re.compile(r"[^\s&]{16,}")  # a name, a path or a command's argument
PART = re.compile(r"(?<=[_/=,:.(@{])(?=\w)")

sys.path.insert(0, str(ROOT / "coverage"))
import markdown_pages  # noqa: E402


def on_the_site(path: pathlib.Path) -> pathlib.Path:
    return pathlib.Path(*(part.removeprefix(".") for part in path.relative_to(ROOT).parts))


def stage(pages: list[pathlib.Path], into: pathlib.Path) -> None:
    for page in pages:
        text = page.read_text()
        for link in markdown_pages.links(text):
            target = (page.parent / link.partition("#")[0]).resolve()
            if target.is_file() and target.suffix != ".md":
                copy = into / on_the_site(target)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(target, copy)
        copy = into / on_the_site(page)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(MARKER.sub("", text).replace("/.github/", "/github/").replace("](.github/", "](github/"))


def parted(page: str) -> str:
    """HTML whose long names may break at their parts, and whose code and tables keys can scroll."""
    pieces, inside = TAG.split(page), ""  # text and tags in turn
    for i, piece in enumerate(pieces):
        if i % 2 == 0:
            pieces[i] = piece if inside else LONG.sub(lambda name: PART.sub("<wbr>", name[0]), piece)
        elif inside:
            inside = "" if piece == f"</{inside}>" else inside
        else:
            inside = next((name for name in AS_IT_IS if re.match(rf"<{name}\b", piece)), "")
    return SCROLLED.sub(r'\1 tabindex="0"', "".join(pieces))


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__.split("\n\n")[2], file=sys.stderr)
        return 2
    folder = pathlib.Path(sys.argv[1])
    if folder.exists() and any(folder.iterdir()) and not (folder / "mkdocs.yml").is_file():
        print(f"site: {folder} is not empty and not of a site")
        return 1
    if shutil.which("mkdocs") is None:
        print("site: mkdocs is not installed; .ci/setup installs it", file=sys.stderr)
        return 2
    pages = markdown_pages.paths(ROOT)
    configuration = CONFIGURATION.read_text()
    lost = [str(on_the_site(page)) for page in pages if f": {on_the_site(page)}\n" not in configuration]
    if lost:
        print(f"site: the navigation of {CONFIGURATION.relative_to(ROOT)} lacks {', '.join(lost)}")
        return 1
    shutil.rmtree(folder, ignore_errors=True)
    stage(pages, folder / "pages")
    shutil.copy(CONFIGURATION, folder)
    shutil.copy(CONFIGURATION.with_name("site.css"), folder / "pages")
    done = subprocess.run(["mkdocs", "build", "--strict"], cwd=folder, capture_output=True, text=True, check=False)
    for page in (folder / "html").rglob("*.html"):
        page.write_text(parted(page.read_text()))
    print(f"site: {len(pages)} pages, {folder / 'html/index.html'}" if done.returncode == 0 else done.stdout + done.stderr)
    return 1 if done.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
