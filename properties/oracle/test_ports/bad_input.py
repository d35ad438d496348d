"""What users get wrong on the command line of backoff-oracle, and what its one line of complaint must name."""
import json
from typing import Any

SYSTEM = "aws_backoff_algorithm"
PARAMS = ["base_ms=2", "max_ms=5", "max_attempts=3"]
TOKEN = f"{SYSTEM}/{','.join(PARAMS)}/next:7"


def evaluating(*words: str) -> list[str]:
    return ["eval", SYSTEM, *words]


WORDS = [
    ([], []), (["frob"], ["frob"]), (["--frob"], ["--frob"]), (["list", "--frob"], ["--frob"]), (["list", "x"], ["x"]),
    (["explain"], ["ID"]), (["explain", "nope"], ["'nope'", "expected"]), (["explain", ""], ["''"]),
    (["explain", "two\nlines"], ["lines"]), (["check"], ["SYSTEM"]), (["check", SYSTEM], ["port"]),
    (["replay"], ["TOKEN"]), (["replay", TOKEN], ["port"]),
    (["eval"], ["SYSTEM"]), (["eval", "nope", *PARAMS], ["'nope'", SYSTEM]),
    (["eval", "two\nlines", *PARAMS], ["lines"]),
    (evaluating(), ["base_ms"]), (evaluating(*PARAMS[:2]), ["max_attempts"]),
    (evaluating(*PARAMS, "base_ms=2"), ["base_ms", "twice"]), (evaluating(*PARAMS, "foo"), ["'foo'", "KEY=VALUE"]),
    (evaluating(*PARAMS, "foo=1"), ["'foo'", "max_ms"]), (evaluating(*PARAMS, "two\nlines=1"), ["lines"]),
    (evaluating(*PARAMS, "steps=next", "steps=reset"), ["steps"]),
    (evaluating(*PARAMS, "draw=1", "steps=next:1"), ["draw", "steps"]),
    (evaluating(*PARAMS[:2], "max_attempts=Forever"), ["'Forever'", "or forever"]),
    *[(evaluating("base_ms=" + bad, *PARAMS[1:]), ["base_ms", "[0, 4294967295]", bad[:60] if bad.isascii() else "?"])
      for bad in ("", "-1", "4294967296", "9" * 400, "é", "+5", " 5", "1e3", "5.0", "0x10")],
    *[(evaluating(*PARAMS, "draw=" + bad), ["draw"]) for bad in ("", "1,", "-1", "4294967296", "0.5")],
    *[(evaluating(*PARAMS, "steps=" + bad), [name]) for bad, name in (
        ("", "steps"), ("frob", "'frob'"), ("next:1:2", "'next:1:2'"), ("reset:1", "'reset:1'"), (",", "next, reset"),
        ("next@0", "'next@0'"), ("next@-1", "'next@-1'"), ("next@99999999999", "1000000 steps"))],
]
WORDS_OF_CHECK = [
    (["nope"], ["'nope'", SYSTEM]), ([SYSTEM, "extra"], ["extra"]), ([SYSTEM, "--frob"], ["--frob"]),
    *[([SYSTEM, *words], names) for words, names in (
        (["--claim", "zzz*"], ["zzz*", "no_call_fails"]), (["--skip", "zzz"], ["zzz"]), (["--skip", "*"], ["no claim"]),
        (["--claim", "two\nlines"], ["lines"]), (["--reading", "nope=x"], ["nope=x", "upper-bound"]),
        (["--reading", "upper-bound=x"], ["upper-bound=x", "exclusive"]), (["--reading", "upper-bound"], ["exclusive"]),
        (["--range", "bas_ms=1.."], ["--range 'bas_ms=1..'", "did you mean base_ms?"]),
        (["--range", "base_ms"], ["expected base_ms=LOW..HIGH"]), (["--range", "base_ms=x.."], ["'x'", "an integer"]),
        (["--range", "base_ms=5..1"], ["'5..1'", "LOW not above HIGH"]),
        (["--range", "base_ms=..-1"], ["'..-1'", "leaves nothing", "base_ms 0..4294967295"]),
        (["--range", "base_ms=..5", "--range", "base_ms=6.."], ["'base_ms=6..'", "leaves nothing", "base_ms 0..5"]),
        (["--format", "xml"], ["xml", "json"]), (["--level", "3"], ["3"]),
        (["--cases", "5", "--cases", "6"], ["--cases"]))],
    *[([SYSTEM, option, bad], [option, bad]) for option, values in (
        ("--cases", ("0", "-1", "abc", "1e400", "1.5", "", "9" * 20)),
        ("--timeout", ("0", "-1", "abc", "1e400", "nan", "inf", "")),
        ("--seed", ("-1", "abc", "18446744073709551616", "")),
        ("--max-failures", ("-1", "abc", "1e400"))) for bad in values],
]
TOKENS = [
    ("", []), (SYSTEM, [SYSTEM]), ("/nonexistent", ["/nonexistent"]), ("/proc/self/mem", ["/proc/self/mem"]),
    ("x=y/z", ["x=y/z", "SYSTEM/PARAMETERS/STEPS"]), (TOKEN.replace(SYSTEM, "nope"), ["nope", SYSTEM]),
    (TOKEN.replace("base_ms=2,", ""), ["base_ms"]), (TOKEN.replace("=2", "=-2"), ["-2"]),
    (TOKEN.replace("=2", "=2,base_ms=2"), ["base_ms", "twice"]), (TOKEN.replace("7", "99999999999"), ["99999999999"]),
    (TOKEN + ",", ["next"]), (TOKEN + ",frob", ["frob"]), (TOKEN + ",next", ["a step has no draw"]), (TOKEN + "@", ["@"]),
    (TOKEN.replace(":7", ":0@99999999999"), ["1000000 steps"]), (TOKEN + "+", ["SYSTEM/PARAMETERS/STEPS"]),
    (TOKEN + f"+/{','.join(PARAMS)}/next:7@500000" * 2, ["1000000 steps"]),
]

CASES = [{"params": {"base_ms": "2", "max_ms": "5", "max_attempts": "3"}, "steps": [{"op": "next", "draw": "7"}]}]
RIGHT = {"system": SYSTEM, "cases": CASES}
HISTORY = json.dumps(RIGHT)
NO_CASES: tuple[Any, ...] = ([], {}, None, ["x"], [None], CASES * 10_001)
DEEP = "[" * 100_000 + "]" * 100_000
FILES: dict[str, str | bytes] = {
    "empty": "", "truncated": HISTORY[:-5], "array": f"[{HISTORY}]", "two": HISTORY * 2,
    "large": "{" + " " * (65 << 20), "binary": bytes(range(256)) * 40,
    "binary in braces": b"{" + bytes(range(128, 256)), "utf-16": HISTORY.encode("utf-16"),
    "not UTF-8": HISTORY.encode().replace(b"next", b"n\xff"), "brackets": "[" * 100_000, "braces": '{"a":' * 100_000,
    "deep system": HISTORY.replace(f'"{SYSTEM}"', DEEP), "deep value": HISTORY.replace('"2"', DEEP),
    "deep draw": HISTORY.replace('"7"', '{"num":' * 100_000 + "7" + "}" * 100_000),
    **{f"{old} -> {new[:20]}": HISTORY.replace(old, new) for old, new in (
        (SYSTEM, "nope"), (f'"{SYSTEM}"', "5"), ('"next"', "5"), ('"next"', '"frob"'), ('"base_ms": "2"', '"x": "2"'),
        *[('"base_ms"', f'"{name}": "1", "base_ms"') for name in ("x", "op", "on")],
        ('"draw"', '"x": "1", "draw"'), ('"draw"', '"on": "3", "draw"'), ('"7"', "{}"), ('"7"', '"4294967296"'),
        *[(f'"{name}"', '"x"') for name in ("system", "cases", "params", "steps", "op", "draw")],
        *[('"2"', bad) for bad in ("null", "true", "2.5", "1e400", "9" * 400, '"-2"', '""')])},
    **{f"cases: {bad}": json.dumps({**RIGHT, "cases": bad})
       for bad in NO_CASES},
}
