#!/usr/bin/python3
"""The recorded findings of the gallery as a picture, for the README: prints SVG, the same for the same findings.

Usage: properties/ports/gallery/picture.py      from the root of the repository; coverage/readme_test.py compares and updates
"""
import html
import json
from collections.abc import Iterator
from typing import Any

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


def row(y: int, port: dict[str, str], finding: dict[str, Any]) -> Iterator[str]:
    """A package: its name, its document, the verdict, a square for each broken claim."""
    look, sign = VERDICTS.get(finding["verdict"], ("bad", "✗"))
    yield f'  <line class="rule" x1="{LEFT}" x2="{WIDTH - LEFT}" y1="{y}" y2="{y}"/>'
    yield text(LEFT, y + 20, f"{port['package']} {port['version']}", "name")
    yield text(LEFT, y + 37, f"{port['registry']}, tested against {port['system']}", "soft")
    yield text(440, y + 28, f"{sign} {finding['verdict']}", look)
    x = 596
    for claim in sorted(finding["broken"], key=lambda b: b["strength"] != "must"):
        must = claim["strength"] == "must"
        yield f'  <rect class="{"bad" if must else "noted"}" x="{x}" y="{y + 17}" width="{SQUARE}" height="{SQUARE}" rx="2">' \
              f'<title>{html.escape(claim["claim"])} ({html.escape(claim["strength"])})</title></rect>'
        x += SQUARE + 6


def main() -> None:
    entries = []
    for path in sorted(gallery.GALLERY.glob("*/*/port.json")):
        entries.append((json.loads(path.read_text()), json.loads((path.parent / "finding.json").read_text())))
    height = HEAD + ROW * len(entries) + 40
    conform = sum(finding["verdict"] == "conforms" for _, finding in entries)
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img">')
    print(f"  <title>{len(entries)} published packages, tested against the documents: {conform} conform</title>")
    print(f"  <style>{STYLE}  </style>")
    print(f'  <rect class="paper" width="{WIDTH}" height="{height}" rx="8"/>')
    for x, words in ((LEFT, "package"), (440, "verdict"), (596, "broken claims")):
        print(text(x, 38, words, "soft"))
    for i, (port, finding) in enumerate(entries):
        print("\n".join(row(HEAD + ROW * i, port, finding)))
    foot = HEAD + ROW * len(entries) + 12
    print(f'  <rect class="bad" x="596" y="{foot}" width="{SQUARE}" height="{SQUARE}" rx="2"/>')
    print(text(616, foot + 11, "must", "soft"))
    print(f'  <rect class="noted" x="672" y="{foot}" width="{SQUARE}" height="{SQUARE}" rx="2"/>')
    print(text(692, foot + 11, "only reported", "soft"))
    print("</svg>")


if __name__ == "__main__":
    main()
