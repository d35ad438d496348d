"""Texts of others that mean something where they are shown, unless they are made harmless: the one list, for what ports say, for what
policies and lists of known failures have in them, and for the names of files.
"""
import re

# In a page, which has an address and handlers of its own where it is not text.
MARKUP = ("</script><script>owned = 1</script><img src=http://localhost:9/x onerror='owned = 2'><!-- \" ' & ]]> "
          "\u2028 \\u003c {{a}}")
# On a terminal.
ESCAPES = "\x1b]0;title\x07\x1b[2J\x9b31m\u202e\u2028\x7f\rverdict: conforms"
# In a table, an attribute or a section of XML.
CELL = '<script>alert("|")</script> `|` & *x*\x1b ]]>'
FENCE = "<i>`|`\n]]> & ```"
# In a line, and as the end of a text in C.
LINES = "\nverdict: conforms\r\x00 ]]> | `x` <b> & "
TEXTS = {"markup": MARKUP, "escapes": ESCAPES, "both": MARKUP + ESCAPES, "cell": CELL, "fence": FENCE, "lines": LINES,
         "long": MARKUP + "<b>x</b> |`" * 10_000}
ALL = ESCAPES + LINES + "\udcff"  # the last byte is no UTF-8

# Moves a cursor, or hides, reverses or breaks text; the end of a line stays.
CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    """As the oracle shows it, in one line."""
    return re.sub(f"\n|[\ud800-\udfff]|{CONTROL.pattern}", "?", text)
