#!/usr/bin/env python3
"""Writes C++ headers from the pages of documents, spec/STEM/system.yaml, and from the examples and specs beside them.

    cpp_of_pages.py FOLDER      writes into FOLDER, which the build includes from:
        systems.def             a line for each system
        catalogue_json.hpp      requirements and readings, as text in the program
        specs.hpp               which spec names which requirement, as text in the program
        examples_yaml.hpp       the examples, as text in tests
        policy_yaml.hpp         the delays in the language of policies, as text in tests
        STEM/readings.hpp       the readings, for the model
        STEM/page.hpp           parameters, calls and answers, for what tries
        STEM/claim_texts.hpp    what claims say, for what judges

Exit: 0 written, 1 a page is wrong, 2 no folder. Checked by: coverage/system_page_test.py.
"""
import json
import pathlib
import re
import sys
from collections.abc import Callable, Iterable

sys.dont_write_bytecode = True
from system_page import SPEC, Answer, Field, Page, generate  # noqa: E402

KEYWORDS = {"and", "auto", "bool", "double", "false", "float", "int", "long", "not", "or", "signed", "true", "unsigned", "xor"}


def identifier(name: str) -> str:
    """A dash becomes an underscore; what C++ has a meaning for ends in one."""
    name = name.replace("-", "_")
    return f"{name}_" if name in KEYWORDS else name


def literal(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def literals(texts: Iterable[str]) -> list[str]:
    return [literal(text) for text in texts]


def integer(number: int) -> str:
    return f"{number + 1} - 1" if number == -2**63 else str(number)


def made(type_: str, **members: str | int | bool | None) -> str:
    """A value of that type: with these members, of which None has its default."""
    given = (f".{name.rstrip('_')} = {str(value).lower() if isinstance(value, bool) else value}"
             for name, value in members.items() if value is not None)
    return f"{type_}{{{', '.join(given)}}}"


def readings_hpp(page: Page) -> str:
    of_each, rows = "", ""
    for reading in page.readings:
        name, alternatives = identifier(reading["name"]), reading["alternatives"]
        inside = ",\n    ".join(f'alternative{{"{each["name"]}", standing::{each["standing"]}}}' for each in alternatives)
        of_each += (f"// {reading['question']}\n"
                    f"enum class {name} : unsigned {{ {', '.join(identifier(each['name']) for each in alternatives)} }};\n"
                    f"inline constexpr std::array alternatives_of_{name}{{\n    {inside}}};\n")
        rows += f'\n    spec::reading{{"{reading["name"]}", alternatives_of_{name}}},'
    return f"""// Generated from spec/{page.stem}/system.yaml.
#pragma once
#include <array>
#include "relation/readings.hpp"
namespace backoff::spec::{page.stem} {{
enum class reading : unsigned {{ {', '.join(identifier(each['name']) for each in page.readings)} }};
{of_each}inline constexpr std::array all_readings{{{rows}
}};
}}  // namespace backoff::spec::{page.stem}
"""


class Header:
    """A header for properties/: names, and tables that are there once however often they are used."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.names = ""
        self.tables = ""
        self.known: dict[tuple[str, ...], str] = {}

    def table(self, kind: str, rows: list[str], wish: str) -> str | None:
        """The name of an array of these rows; of none, None."""
        key = (kind, *rows)
        if rows and key not in self.known:
            self.known[key] = name = wish if wish not in self.known.values() else f"{wish}_{len(self.known)}"
            self.tables += f"inline constexpr std::array<{kind}, {len(rows)}> {name}{{{{\n    " + ",\n    ".join(rows) + "}};\n"
        return self.known.get(key)

    def words(self, of: Field | Answer) -> str | None:
        return "boolean_words" if of.written == "boolean" else self.table("std::string_view", literals(of.words), f"words_of_{of.name}")

    def enumeration(self, name: str, values: Iterable[str], type_: str) -> None:
        """Of a list, the first item has the name."""
        first: dict[str, int] = {}
        for at, value in enumerate(values):
            first.setdefault(value, at)
        if first:
            inside = ", ".join(f"{identifier(value)} = {at}" for value, at in first.items())
            self.names += f"namespace {name} {{\nenum type : {type_} {{ {inside} }};\n}}\n"

    def field(self, each: Field) -> str:
        specials = [f"special{{{integer(value)}, {literal(why)}}}" for value, why in each.specials]
        return made("field", name=literal(each.name), kind=f"field_kind::{each.kind}", low=integer(each.low), high=integer(each.high),
                    words=self.words(each), specials=self.table("special", specials, f"try_{each.name}"), scale=each.scale,
                    written=f"field::form::{each.written}", needs=feature(each.needs), left_out=each.left_out,
                    unless=feature(each.unless), last_word_needs=feature(each.last_word_needs), usual_low=each.usual_low,
                    by_default=each.by_default, object_=literal(each.object_))

    def answer(self, each: Answer) -> str:
        return made("answer_field", name=literal(each.name), words=self.words(each),
                    only=f"answer_field::companion{{{each.only[0]}, {each.only[1]}}}" if each.only else None,
                    written=f"answer_field::form::{each.written}", needs=feature(each.needs), calls=bits(each.calls),
                    optional=each.optional, if_zero=each.if_zero, object_=literal(each.object_))

    def shape(self) -> str:
        page = self.page
        self.enumeration("param", (each.name for each in page.parameters), "std::size_t")
        self.enumeration("call", (each.name for each in page.calls), "std::uint8_t")
        self.enumeration("reply", (each.name for each in page.answers), "std::size_t")
        operations = []
        for call in page.calls:
            self.enumeration(f"{call.name}_args", (each.name for each in call.arguments), "std::size_t")
            arguments = self.table("field", [self.field(each) for each in call.arguments], f"arguments_of_{call.name}")
            operations.append(made("operation", name=literal(call.name), args=arguments, weight=call.weight, optional=call.optional))
        named: list[Field | Answer] = [*page.parameters, *(each for call in page.calls for each in call.arguments), *page.answers]
        for name, words in {each.name: each.words for each in named if each.written != "boolean"}.items():
            self.enumeration(f"{name}_word", words if len(words) > 1 else (), "std::uint8_t")
        status = page.answers[0].words
        declared = made(
            "", stem=literal(page.stem), params=self.table("field", [self.field(each) for each in page.parameters], "parameters") or "{}",
            operations=self.table("operation", operations, "operations"),
            answers=self.table("answer_field", [self.answer(each) for each in page.answers], "answers"), error_word=status.index("error"),
            features=" | ".join(f"bit(feature::{each})" for each in page.features) or 0,
            delay=next((at for at, each in enumerate(page.answers) if each.is_delay), None), remembers=page.remembers,
            rejected_word=status.index("rejected") if "rejected" in status else None,
            outlasts_reset=bits([at for at, each in enumerate(page.calls) if each.outlasts_reset]))
        self.tables += f"inline constexpr declaration declared{declared};\n"
        return self.header('#include "histories/shape.hpp"\n')

    def claims(self) -> str:
        texts = "".join(f"inline constexpr claim_text {each.name}" + made(
            "", name=literal(each.name), sentence=literal(each.says),
            requirements=self.table("std::string_view", literals(each.by), f"by_{each.name}"), strength=f"strength::{each.strength}",
            needs=feature(each.needs), draws=f"about_draws::{each.draws}" if each.draws else None, told_by=each.told_by,
            compares=f"dependence::{each.compares}" if each.compares else None, rule=literal(each.rule),
            of_rule=f"part::{each.of_rule}" if each.of_rule else None, starts_from=literal(each.starts_from),
            leans_on=self.table("std::string_view", literals(each.leans_on), f"under_{each.name}")) + ";\n" for each in self.page.claims)
        names = ", ".join(each.name for each in self.page.claims)
        self.tables += f"namespace said {{\n{texts}inline constexpr std::array all{{{names}}};\n}}  // namespace said\n"
        return self.header('#include "claims/claim.hpp"\n')

    def header(self, includes: str) -> str:
        space = f"backoff::pages::{self.page.stem}"
        return (f"// Generated from spec/{self.page.stem}/system.yaml.\n#pragma once\n#include <array>\n#include <cstdint>\n"
                f"#include <string_view>\n{includes}namespace {space} {{\n{self.names}{self.tables}}}  // namespace {space}\n")


def feature(name: str) -> str | None:
    return f"feature::{name}" if name else None


def bits(at: list[int] | None) -> str | None:
    return f"{sum(1 << each for each in at)}U" if at is not None else None


# ---- Texts in programs ----

WORD = re.compile(r'[^, \n"]+')
SPEC_BEGINS = re.compile(r"TEST\((\w+),\s+(\w+)\) \{\s+checks\(([^)]*)\)")
EXAMPLE_BEGINS = re.compile(r"\{id: ([a-z0-9_]+), by: \[([^\]]*)\]")


def specs(page: Page) -> str:
    """A line for each spec: its name, and the requirements that it names."""
    lines = []
    for path in sorted((SPEC / page.stem).glob("*_test.cpp")):
        for suite, name, ids in SPEC_BEGINS.findall(path.read_text()):
            lines.append(f"{suite}.{name} {' '.join(WORD.findall(ids))}")
    for name, ids in EXAMPLE_BEGINS.findall((SPEC / page.stem / "examples.yaml").read_text()):
        lines.append(f"{page.stem}.{name} {' '.join(WORD.findall(ids))}")
    for reading in page.readings:
        if reading["told_apart_by"] != "statistics":
            lines.append(f"{page.stem}.reading_{reading['name'].replace('-', '_')} {' '.join(reading['rests_on'])}")
    return "".join(f"{line}\n" for line in lines)


def texts_hpp(what: str, all_pages: list[Page], text_of: Callable[[Page], str]) -> str:
    # Not warned of: a text may be longer than every compiler must take.
    return ("// Generated from spec/STEM.\n#pragma once\n#pragma GCC system_header\n#include <string_view>\nnamespace backoff::spec {\n" +
            "".join(f'inline constexpr std::string_view {page.stem}_{what} = R"text({text_of(page)})text";\n' for page in all_pages) +
            "}\n")


def write(path: pathlib.Path, text: str) -> None:
    """Only where it changes, so that nothing is compiled again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.is_file() or path.read_text() != text:
        path.write_text(text)


def write_all(folder: pathlib.Path, all_pages: list[Page]) -> None:
    for page in all_pages:
        write(folder / page.stem / "readings.hpp", readings_hpp(page))
        write(folder / page.stem / "page.hpp", Header(page).shape())
        write(folder / page.stem / "claim_texts.hpp", Header(page).claims())
    write(folder / "systems.def", "".join(f"BACKOFF_SYSTEM({page.stem})\n" for page in all_pages))
    for what, text_of in (("catalogue_json", lambda page: json.dumps(page.catalogue(), indent=1, ensure_ascii=False)), ("specs", specs),
                          ("policy_yaml", lambda page: page.policy),
                          ("examples_yaml", lambda page: (SPEC / page.stem / "examples.yaml").read_text())):
        write(folder / f"{what}.hpp", texts_hpp(what, all_pages, text_of))


if __name__ == "__main__":
    sys.exit(generate(__doc__, write_all))
