"""The Markdown pages of the repository, their headings and their links: for readme_test.py, links_test.py and the site."""
import pathlib
import re

NOT_OURS = {"build", ".git"}
FENCED = re.compile(r"^(`{3,})[^\n]*\n.*?^\1 *$", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"`[^`\n]*`")
HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")


def paths(root: pathlib.Path) -> list[pathlib.Path]:
    tops = [top for top in root.iterdir() if top.name not in NOT_OURS]
    return sorted([top for top in tops if top.suffix == ".md"] + [page for top in tops if top.is_dir() for page in top.rglob("*.md")])


def links(text: str) -> list[str]:
    """The targets of the links and pictures of a page, without those in code."""
    return LINK.findall(CODE.sub("", FENCED.sub("", text)))


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as GitHub names them."""
    seen: dict[str, int] = {}
    named: set[str] = set()
    for heading in HEADING.findall(FENCED.sub("", text)):
        words = re.sub(r"\]\([^)]*\)", "", heading).lower()
        slug = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        count = seen[slug] = seen.get(slug, -1) + 1
        named.add(f"{slug}-{count}" if count else slug)
    return named
