#!/usr/bin/env python3
"""Writes the JSON Schemas of port protocol 1: those of this folder, and those of each system from its page, spec/STEM/system.yaml.

    schemas_of_pages.py FOLDER  writes into FOLDER:
        NAME.schema.json        the schemas of this folder
        systems.schema.json     a history of any system
        systems                 the histories and the answers of each, STEM.schema.json

Exit: 0 written, 1 a page is wrong, 2 no folder. Checked by: schema_test.py.
"""
import itertools
import json
import pathlib
import shutil
import sys
from collections.abc import Callable, Iterator
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parents[1] / "spec"))
from system_page import Answer, Field, Page, generate  # noqa: E402

Schema = dict[str, Any]
DIALECT = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
DRAW = {"$ref": "../history.schema.json#/$defs/draw"}
NUMBER = {"$ref": "../run-reply.schema.json#/$defs/number"}
ERROR = {"$ref": "../run-reply.schema.json#/$defs/error"}


def one_of(ways: list[Schema]) -> Schema:
    return ways[0] if len(ways) == 1 else {"oneOf": ways}


# ---- Numbers: the texts that stand for those of a range ----

def between(low: str, high: str) -> Iterator[list[tuple[int, int]]]:
    """Of the numbers between two of the same length: the least and the greatest digit at each place, as alternatives."""
    first, last, rest = int(low[0]), int(high[0]), len(low) - 1
    zeros, nines = "0" * rest, "9" * rest
    if (low[1:], high[1:]) == (zeros, nines):
        yield [(first, last), *[(0, 9)] * rest]
    elif first == last:
        yield from ([(first, last), *tail] for tail in between(low[1:], high[1:]))
    else:
        end, start = (last - 1, last) if low[1:] == zeros else (first, first + 1)
        yield from between(low, f"{end}{nines}")
        yield from between(f"{start}{zeros}", high)


def decimals(low: int, high: int, scale: int) -> Iterator[str]:
    """Patterns for units of 10^-scale from low, at least 0, to high: without a point, or with no zero at the end behind it."""
    for places in range(scale + 1):
        least, most = -(-low // 10**(scale - places)), high // 10**(scale - places)
        for width in range(places + 1, max(len(str(most)), places + 1) + 1):
            first = max(least, 10**(width - 1) if width > places + 1 else 0)
            last = min(most, 10**width - 1)
            for digits in between(str(first).zfill(width), str(last).zfill(width)) if first <= last else ():
                if not places:
                    yield pattern(digits)
                elif digits[-1][1] > 0:
                    digits[-1] = (max(digits[-1][0], 1), digits[-1][1])
                    yield pattern(digits[:-places]) + r"\." + pattern(digits[-places:])


def pattern(digits: list[tuple[int, int]]) -> str:
    runs = ((str(low) if low == high else f"[{low}-{high}]", len(list(run))) for (low, high), run in itertools.groupby(digits))
    return "".join(one if times == 1 else f"{one}{{{times}}}" for one, times in runs)


def shown(units: int, scale: int) -> str:
    return f"{units / 10**scale:.{scale}f}".rstrip("0").rstrip(".") if scale else str(units)


def of_range(low: int, high: int, scale: int) -> str:
    ways = [f"-({'|'.join(decimals(max(1, -high), -low, scale))})"] if low < 0 else []
    return f"^({'|'.join([*ways, *decimals(max(0, low), high, scale)])})$"


def number(field: Field) -> tuple[str, Schema]:
    """A name for the values of the field, and their schema."""
    low, high = shown(field.low, field.scale), shown(field.high, field.scale)
    name = f"{low}_to_{high}" + (f"_in_{field.scale}_places" if field.scale else "")
    return name, {"description": name.replace("_", " "), "type": "string", "pattern": of_range(field.low, field.high, field.scale)}


# ---- Histories ----

def says(field: Field) -> Schema:
    parts = [
        f"{shown(field.by_default, field.scale)} where it is missing" if field.by_default is not None else "",
        f"below {shown(field.usual_low, field.scale)} only if the port declares it" if field.usual_low is not None else "",
        f"for ports with the feature {field.needs}" if field.needs else "",
        f"for ports without the feature {field.unless}" if field.unless else "",
        f"{field.words[-1]}: for ports with the feature {field.last_word_needs}" if field.last_word_needs else ""]
    return {"description": "; ".join(filter(None, parts))} if any(parts) else {}


def is_given(field: Field) -> bool:
    """Wherever it exists."""
    return not field.left_out and field.by_default is None


class History:
    def __init__(self, page: Page) -> None:
        self.page = page
        self.numbers: Schema = {}

    def value(self, field: Field, times: int) -> Schema:
        """times: how many of this name there may be, in a list."""
        ways: list[Schema] = [DRAW] if field.kind == "draw" else []
        if field.kind in ("integer", "decimal"):
            name, schema = number(field)
            self.numbers[name] = schema
            ways.append({"$ref": f"#/$defs/{name}"})
        if field.words:
            ways.append({"type": "boolean"} if field.written == "boolean" else {"enum": list(field.words)})
        value = one_of(ways)
        if field.kind == "set":
            value = {"type": "array", "minItems": 1, "uniqueItems": True, "items": value}
        if field.written == "list":
            value = {"type": "array", "minItems": 1, "maxItems": times, "items": value}
        return {**says(field), **value}

    def members(self, fields: list[Field], more: Schema) -> Schema:
        """The object that these fields are written as, and these members more."""
        ways: dict[str, list[Schema]] = {}
        objects: dict[str, Schema] = {}
        for field in (each for each in fields if each.written != "item"):
            value = self.value(field, sum(each.name == field.name for each in fields))
            if field.object_:
                objects.setdefault(field.object_, {})[field.name] = value
            else:
                ways[field.name] = [value]
        for name, inside in objects.items():
            ways.setdefault(name, []).append(
                {"type": "object", "properties": inside, "minProperties": 1, "additionalProperties": False})
        required = {field.name for field in fields if not field.optional} | {name for name, each in ways.items() if len(each) > 1}
        made = {"type": "object", "properties": {**more, **{name: one_of(each) for name, each in ways.items()}},
                "required": [name for name in ways if name in required], "additionalProperties": False}
        for feature in {field.unless for field in fields if field.unless}:  # what it decides between, of which there is one
            made["oneOf"] = [{"required": [field.name for field in fields if field.unless == feature]},
                             {"required": [field.name for field in fields if field.needs == feature and is_given(field)]}]
        return made

    def only_where(self, fields: list[Field], within: Callable[[Schema], Schema]) -> Iterator[Schema]:
        """For each word of a parameter that fields exist only with: what is of their object, where it is and where not."""
        for only in dict.fromkeys(field.only for field in fields if field.only):
            parameter = self.page.parameters[only[0]]
            own = [field for field in fields if field.only == only]
            yield {"if": within_params({"properties": {parameter.name: {"const": parameter.words[only[1]]}}}),
                   "then": within({"required": [field.name for field in own if is_given(field)]}),
                   "else": within({"properties": {field.name: False for field in own}})}

    def case(self) -> Schema:
        conditions = [*self.only_where(self.page.parameters, within_params)]
        steps = []
        for call in self.page.calls:
            steps.append(self.members(call.arguments, {"op": {"const": call.name}, "on": True}))
            conditions += self.only_where(call.arguments, within_steps(call.name))
        made = {"properties": {"params": self.members(self.page.parameters, {}), "steps": {"items": one_of(steps)}},
                "additionalProperties": False}
        return {**made, "allOf": conditions} if conditions else made


def within_params(schema: Schema) -> Schema:
    return {"properties": {"params": schema}}


def within_steps(call: str) -> Callable[[Schema], Schema]:
    return lambda schema: {"properties": {"steps": {"items": {"if": {"properties": {"op": {"const": call}}}, "then": schema}}}}


# ---- Answers ----

def is_always_there(field: Answer) -> bool:
    """In answers with the status that it is there with."""
    return not (field.needs or field.optional or field.if_zero is not None or (field.only and field.only[0]))


def way(page: Page, words: list[str], fields: list[Answer]) -> Schema:
    """Answers with one of these statuses, which all have the same required members."""
    status = page.answers[0]
    made: Schema = {"properties": {"status": {"enum": words}}}
    required = [] if is_implied(status, words[0]) else ["status"]
    conditions: list[Schema] = []
    for field in fields:
        value: Schema = {"enum": list(field.words)} if field.words else NUMBER
        if field.written == "boolean":
            value = {"type": "boolean"}
        if field.needs:
            value = {"description": f"for ports with the feature {field.needs}", **value}
        if field.object_:
            made["properties"].setdefault(field.object_, {"type": ["object", "null"], "properties": {}, "required": []})
            made["properties"][field.object_]["properties"][field.name] = value
            made["properties"][field.object_]["required"].append(field.name)
        elif field.if_zero is not None:
            conditions.append({"if": {"properties": {page.answers[field.if_zero].name: {"enum": [0, "0"]}}},
                               "then": {"properties": {field.name: value}}})
        else:
            made["properties"][field.name] = value
        if field.only and field.only[0]:
            other = page.answers[field.only[0]]
            word = bool(field.only[1]) if other.written == "boolean" else other.words[field.only[1]]
            conditions.append({"if": {"properties": {other.name: {"const": word}}}, "then": {"required": [field.name]}})
        if is_always_there(field):
            required.append(field.object_ or field.name)
    made["required"] = list(dict.fromkeys(required))
    together = [(one.name, other.name) for one, other in itertools.permutations(fields, 2)
                if one.needs and one.needs == other.needs and not (one.optional or other.optional)]
    if together:
        made["dependentRequired"] = {one: [other for each, other in together if each == one] for one, _ in together}
    return {**made, "allOf": conditions} if conditions else made


def is_implied(status: Answer, word: str) -> bool:
    return status.written == "implied" and word == status.words[0]


def answer(page: Page) -> Schema:
    """The answer to any call. An implied status is that of calls whose answers say more; they have no other."""
    status, *others = page.answers
    ways: dict[tuple[str, ...], tuple[dict[str, None], dict[str, Answer]]] = {}
    for call in range(len(page.calls)):
        fields = [field for field in others if field.calls is None or call in field.calls]
        says_more = any(is_always_there(field) for field in fields)
        for at, word in enumerate(status.words):
            if word == "error" or (status.written == "implied" and is_implied(status, word) != says_more):
                continue
            found = {field.name: field for field in fields if not field.only or field.only[0] or field.only[1] == at}
            words, known = ways.setdefault(tuple(name for name, field in found.items() if is_always_there(field)), ({}, {}))
            words[word] = None
            known.update(found)
    return {"oneOf": [*(way(page, list(words), list(known.values())) for words, known in ways.values()), ERROR]}


# ---- Files ----

def system(page: Page) -> Schema:
    history = History(page)
    case = history.case()
    return {**DIALECT, "title": f"{page.stem}: its histories and its answers", "$comment": f"Generated from spec/{page.stem}/system.yaml.",
            "$ref": "#/$defs/history", "$defs": {
                "history": {"properties": {"system": {"const": page.stem}, "cases": {"items": {"$ref": "#/$defs/case"}}}},
                "case": case, "answer": answer(page), **history.numbers}}


def write(path: pathlib.Path, schema: Schema) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(schema, indent=1) + "\n")


def write_all(folder: pathlib.Path, all_pages: list[Page]) -> None:
    for page in all_pages:
        write(folder / "systems" / f"{page.stem}.schema.json", system(page))
    write(folder / "systems.schema.json", {**DIALECT, "title": "A history of one of the systems", "oneOf": [
        {"$ref": f"systems/{page.stem}.schema.json#/$defs/history"} for page in all_pages]})
    for path in HERE.glob("*.schema.json"):
        shutil.copy(path, folder)


if __name__ == "__main__":
    sys.exit(generate(__doc__, write_all))
