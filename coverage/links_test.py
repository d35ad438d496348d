#!/usr/bin/python3
"""Every link between files of the repository leads somewhere: from each Markdown page, to a file and to a heading in it.

A link names a file, because a folder has no page on the site. Addresses on the network are not visited.

Usage: coverage/links_test.py [ROOT]        Exit: 0 all lead somewhere, 1 some do not, each on a line.
"""
import pathlib
import sys
from collections.abc import Iterator

import markdown_pages
import places


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
    return places.report(dead_links(root), "links: {} dead")


if __name__ == "__main__":
    sys.exit(main())
