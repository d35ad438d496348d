#!/usr/bin/python3
"""The findings of the gallery as a picture, for the README: prints SVG, the same for the same findings.

It shows the packages that claim a document or its formula and break a claim of it: of several versions the newest, those first that
do not conform in ordinary settings, twelve at most. The table of the gallery's page has all packages. The text is large enough to
read where the picture is as wide as a phone.

Usage: properties/ports/gallery/picture.py      from the root of the repository; coverage/readme_test.py compares and updates
"""
import html
import json
from collections.abc import Iterator

import gallery

ROWS_MAX, WIDTH, HEAD, ROW, LEFT, SQUARE, SQUARES = 12, 440, 58, 46, 16, 13, 330
STYLE = """
  text { font: 14.8px system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; fill: #1b1f24 }
  .paper { fill: #f5f6f8 } .soft { fill: #5a636e; font-size: 13.8px } .rule { stroke: #d5dae0 } .name { font-weight: 600 }
  .good { fill: #00714f } .bad { fill: #b33c00 } .noted { fill: none; stroke: #7a5c00; stroke-width: 1.5 }
  @media screen and (prefers-color-scheme: dark) {
    text { fill: #e7eaee } .paper { fill: #1d2228 } .soft { fill: #a2abb6 } .rule { stroke: #363e48 }
    .good { fill: #4fcf9f } .bad { fill: #ff8f57 } .noted { stroke: #e9c04a }
  }
"""


def text(x: int, y: int, words: str, name: str = "") -> str:
    return f'  <text x="{x}" y="{y}"{name and f" class={chr(34)}{name}{chr(34)}"}>{html.escape(words)}</text>'


def square(x: int, y: int, name: str, title: str = "") -> str:
    return f'  <rect class="{name}" x="{x}" y="{y}" width="{SQUARE}" height="{SQUARE}" rx="2">{title}</rect>'


def musts(finding: gallery.Json) -> list[gallery.Json]:
    return [b for b in gallery.ordinary(finding)["broken"] if b["strength"] == "must"]


def at_the_ends(port: gallery.Json, finding: gallery.Json) -> list[gallery.Json]:
    return [b for b in gallery.at_the_ends(port, finding) if "requirement" in b]


def row(y: int, port: gallery.Json, finding: gallery.Json) -> Iterator[str]:
    """A package: its name, its document, a square for each claim broken in ordinary settings or at the ends."""
    yield f'  <line class="rule" x1="{LEFT}" x2="{WIDTH - LEFT}" y1="{y}" y2="{y}"/>'
    broken = musts(finding)
    yield text(LEFT, y + 28, "✗" if broken else "✓", "bad" if broken else "good")
    yield text(LEFT + 24, y + 20, f"{port['package'].rpartition(':')[2]} {port['version']}", "name")
    yield text(LEFT + 24, y + 38, f"{gallery.system_of(port)} · {port['registry']}", "soft")
    for i, (claim, name) in enumerate([(b, "bad") for b in broken] + [(b, "noted") for b in at_the_ends(port, finding)]):
        yield square(SQUARES + i * (SQUARE + 5), y + 17, name, f"<title>{html.escape(claim['claim'])}</title>")


def main() -> None:
    newest: dict[tuple[str, str], tuple[gallery.Json, gallery.Json]] = {}
    for folder, port in gallery.sorted_by_claim((path.parent, json.loads(path.read_text()))
                                                for path in sorted(gallery.GALLERY.glob("*/*/port.json"))):
        if gallery.part_of((folder, port)) != "driven" or port["claims"] == "claims neither":
            continue
        finding, name = gallery.finding_in(folder), (port["registry"], port["package"])
        if musts(finding) or at_the_ends(port, finding):
            newest[name] = max(newest.get(name, (port, finding)), (port, finding),
                               key=lambda entry: [int(n) for n in entry[0]["version"].split(".")])
    shown = sorted(newest.values(), key=lambda entry: not musts(entry[1]))[:ROWS_MAX]
    foot = HEAD + ROW * len(shown)
    height = foot + 62
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img">')
    print(f"  <title>{len(shown)} published packages that break a claim of the document or formula that they claim</title>")
    print(f"  <style>{STYLE}  </style>")
    print(f'  <rect class="paper" width="{WIDTH}" height="{height}" rx="8"/>')
    print(text(LEFT, 24, "Packages, and the claims of their document", "name"))
    print(text(LEFT, 44, "✓ conforms in ordinary settings, ✗ does not", "soft"))
    for i, (port, finding) in enumerate(shown):
        print("\n".join(row(HEAD + ROW * i, port, finding)))
    print(f'  <line class="rule" x1="{LEFT}" x2="{WIDTH - LEFT}" y1="{foot}" y2="{foot}"/>')
    for y, kind, words in ((foot + 12, "bad", "a claim broken in ordinary settings"),
                           (foot + 34, "noted", "a claim broken only at the ends of the range")):
        print(square(LEFT, y, kind))
        print(text(LEFT + 24, y + 12, words, "soft"))
    print("</svg>")


if __name__ == "__main__":
    main()
