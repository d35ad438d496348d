#!/usr/bin/python3
"""The recorded findings of the gallery as a picture, for the README: prints SVG, the same for the same findings. Programs that are
watched are not in it.

Usage: properties/ports/gallery/picture.py      from the root of the repository; coverage/readme_test.py compares and updates
"""
import html
import json
from collections.abc import Iterator

import gallery

WIDTH, HEAD, ROW, LEFT, SQUARE = 860, 58, 48, 20, 13
STYLE = """
  text { font: 14px system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; fill: #1b1f24 }
  .paper { fill: #f5f6f8 } .soft { fill: #5a636e; font-size: 12px } .rule { stroke: #d5dae0 } .name { font-weight: 600 }
  .good { fill: #00714f } .bad { fill: #b33c00 } .unsure { fill: #7a5c00 } .noted { fill: none; stroke: #7a5c00; stroke-width: 1.5 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e7eaee } .paper { fill: #1d2228 } .soft { fill: #a2abb6 } .rule { stroke: #363e48 }
    .good { fill: #4fcf9f } .bad { fill: #ff8f57 } .unsure { fill: #e9c04a } .noted { stroke: #e9c04a }
  }
"""
VERDICTS = {"conforms": ("good", "✓"), "inconclusive": ("unsure", "?")}  # of any other: bad


def text(x: int, y: int, words: str, name: str = "") -> str:
    return f'  <text x="{x}" y="{y}"{name and f" class={chr(34)}{name}{chr(34)}"}>{html.escape(words)}</text>'


def row(y: int, port: gallery.Json, finding: gallery.Json) -> Iterator[str]:
    """A package: its name, its document, the verdict in ordinary settings, a square for each claim broken there or at the ends."""
    first, ends = gallery.ordinary(finding), gallery.at_the_ends(port, finding)
    look, sign = VERDICTS.get(first["verdict"], ("bad", "✗"))
    yield f'  <line class="rule" x1="{LEFT}" x2="{WIDTH - LEFT}" y1="{y}" y2="{y}"/>'
    yield text(LEFT, y + 20, f"{port['package']} {port['version']}", "name")
    yield text(LEFT, y + 37, f"{port['claims']} · {port['registry']} · {gallery.system_of(port)}", "soft")
    yield text(440, y + 28, f"{sign} {first['verdict']}", look)
    musts = [b for b in first["broken"] if b["strength"] == "must"]
    for i, (claim, name) in enumerate([(b, "bad") for b in musts] + [(b, "noted") for b in ends if "requirement" in b]):
        yield f'  <rect class="{name}" x="{596 + i * (SQUARE + 6)}" y="{y + 17}" width="{SQUARE}" height="{SQUARE}" rx="2">' \
              f'<title>{html.escape(claim["claim"])}</title></rect>'


def main() -> None:
    entries = []
    for folder, port in gallery.sorted_by_claim((path.parent, json.loads(path.read_text()))
                                                for path in sorted(gallery.GALLERY.glob("*/*/port.json"))):
        if gallery.part_of((folder, port)) == "driven":
            entries.append((port, gallery.finding_in(folder)))
    height = HEAD + ROW * len(entries) + 40
    conform = sum(gallery.ordinary(finding)["verdict"] == "conforms" for _, finding in entries)
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img">')
    print(f"  <title>{len(entries)} published packages, tested against the documents: {conform} conform in ordinary settings</title>")
    print(f"  <style>{STYLE}  </style>")
    print(f'  <rect class="paper" width="{WIDTH}" height="{height}" rx="8"/>')
    for x, words in ((LEFT, "package"), (440, "ordinary settings"), (596, "broken claims")):
        print(text(x, 38, words, "soft"))
    for i, (port, finding) in enumerate(entries):
        print("\n".join(row(HEAD + ROW * i, port, finding)))
    foot = HEAD + ROW * len(entries) + 12
    print(f'  <rect class="bad" x="440" y="{foot}" width="{SQUARE}" height="{SQUARE}" rx="2"/>')
    print(text(460, foot + 11, "in ordinary settings", "soft"))
    print(f'  <rect class="noted" x="596" y="{foot}" width="{SQUARE}" height="{SQUARE}" rx="2"/>')
    print(text(616, foot + 11, "at the ends of the range", "soft"))
    print("</svg>")


if __name__ == "__main__":
    main()
