"""First-order mutants of C and C++ text, all compiled into one program and chosen by the variable MUTANT when it runs.

A mutant is one small fault: another operator, a negated condition, a number off by one, a statement left out, a
constant returned. libclang finds the places; the text is then rewritten so that each place asks whether it is its turn:

    a < b    becomes    (on(1) ? ((a) <= (b)) : on(2) ? ((a) >= (b)) : (a < b))

In constant evaluation no mutant is on: static_assert and constexpr variables see the original. What is decided there
and nowhere else (concepts, requires clauses, `if constexpr`, constexpr variables, const numbers made of constants alone,
types by another name) gets mutants that are built one by one. Patterns inside requires expressions and static_assert
itself are left alone: they compute nothing. Where the values of a type have no order that a program should ask for (pointers;
in C++ truth values, enumerations and classes too), == and != become each other and nothing else.
"""
import collections
import concurrent.futures
import dataclasses
import pathlib
import re
import resource
import sys
from collections.abc import Callable, Collection, Sequence
from typing import TypeVar

import clang.cindex
from clang.cindex import Cursor, TypeKind
from clang.cindex import CursorKind as Kind

Place = tuple[int, int]  # where a piece of text begins and ends
Held = tuple[str, int | None]  # the name of a constant, and where its `constexpr` stands, if anywhere
Thing = TypeVar("Thing")
Result = TypeVar("Result")

RELATIONAL = ["<", "<=", ">", ">=", "==", "!="]
OTHER = {op: [other for other in RELATIONAL if other != op] for op in RELATIONAL} | {
    "+": ["-", "*"], "-": ["+", "*"], "*": ["+", "/"], "/": ["*", "%"], "%": ["/", "*"], "<<": [">>"], ">>": ["<<"],
    "&": ["|", "^"], "|": ["&", "^"], "^": ["&", "|"], "&&": ["||"], "||": ["&&"],
    "+=": ["-=", "="], "-=": ["+=", "="], "*=": ["/=", "="], "/=": ["*=", "="], "%=": ["/=", "="],
    "<<=": [">>=", "="], ">>=": ["<<=", "="], "&=": ["|=", "="], "|=": ["&=", "="], "^=": ["&=", "="]}
NUMBER = re.compile(r"(0[xX][0-9a-fA-F']+|0[bB][01']+|[0-9][0-9']*)[uUlLzZ]*")
WRAPPERS = (Kind.UNEXPOSED_EXPR, Kind.PAREN_EXPR, Kind.CXX_STATIC_CAST_EXPR)
COMPUTES_NOTHING = (Kind.STATIC_ASSERT, Kind.ENUM_DECL, Kind.REQUIRES_EXPR, Kind.TEMPLATE_TYPE_PARAMETER,
                    Kind.TEMPLATE_NON_TYPE_PARAMETER, Kind.TEMPLATE_TEMPLATE_PARAMETER)
POINTERS = (TypeKind.POINTER, TypeKind.NULLPTR)
FRACTIONS = (TypeKind.FLOAT, TypeKind.DOUBLE, TypeKind.LONGDOUBLE)  # have no remainder
WITHOUT_ORDER = {"c": POINTERS, "c++": (*POINTERS, TypeKind.ENUM, TypeKind.BOOL)}
APART = 1000  # lines from one mutant to the next, where each is given lines of its own
VARIABLES = (Kind.VAR_DECL, Kind.PARM_DECL, Kind.FIELD_DECL, Kind.CXX_METHOD)
CLASSES = (Kind.CLASS_DECL, Kind.STRUCT_DECL, Kind.CLASS_TEMPLATE)
NOT_A_NUMBER = (TypeKind.RECORD, TypeKind.VOID, TypeKind.INVALID, *POINTERS)

SWITCH_C = """#include <stdlib.h>
static int mutation_on(int id) {
  static int chosen = -1;
  if (chosen < 0) chosen = getenv("MUTANT") ? atoi(getenv("MUTANT")) : 0;
  return chosen == id;
}
"""


class Unusable(Exception):
    """Nothing could be measured: exit status 2."""


@dataclasses.dataclass(frozen=True)
class Mutant:
    number: int
    path: str
    begin: int
    end: int
    line: str  # of the source, stripped
    old: str
    new: str
    code: str  # what replaces the text in [begin, end)
    deletion: bool
    built: bool  # decided at compile time: has to be built for itself
    truth: bool  # a truth value stands here, or what C++ makes one of: never what is common to it and the mutants
    held: Held | None = None  # the variable that this constant is of

    @property
    def key(self) -> str:
        return f"{self.path} | {self.line} | {self.old} -> {self.new}"


class Source:
    """One file: its text and the mutants of it, numbered from `first`."""

    def __init__(self, file: pathlib.Path, path: str, arguments: list[str], language: str, first: int = 1,
                 of_classes: bool = False) -> None:
        self.file, self.path, self.language = file, path, language
        self.mutants: list[Mutant] = []
        self.of_classes = of_classes  # whether operators of classes have mutants: not all of these compile
        self.text = file.read_bytes()
        self._next = first
        self._seen: set[tuple[int, int, str]] = set()
        self._held: Held | None = None
        unit = clang.cindex.Index.create().parse(str(file), ["-x", language, *arguments])
        errors = [str(d) for d in unit.diagnostics if d.severity >= clang.cindex.Diagnostic.Error]
        if errors:
            raise Unusable(f"{path}: cannot be parsed: {errors[0]}")
        for cursor in unit.cursor.get_children():
            if cursor.location.file and cursor.location.file.name == str(file):
                self._walk(cursor, unit.cursor, False)

    def _code(self, cursor: Cursor) -> str:
        return self.text[cursor.extent.start.offset:cursor.extent.end.offset].decode()

    def _walk(self, cursor: Cursor, parent: Cursor, built: bool) -> None:
        if cursor.kind in COMPUTES_NOTHING:
            return
        if cursor.location.file and cursor.location.file.name != str(self.file):  # a default that a header gives
            return
        declared = re.match(r"[^={(]*\bconst(expr|eval)\b", self._code(cursor))
        outer = self._held
        if cursor.kind == Kind.VAR_DECL and not built and (declared or self._constant(cursor)):
            word = cursor.extent.start.offset + declared.start(1) - len("const") if declared else None
            self._held = (cursor.spelling, word)
        alias = cursor.kind in (Kind.TYPE_ALIAS_DECL, Kind.TYPE_ALIAS_TEMPLATE_DECL)
        if alias or cursor.kind == Kind.CONCEPT_DECL or (declared and (cursor.kind == Kind.VAR_DECL or declared[1] == "eval")):
            built = True
        built = built or self._constant(cursor)
        self._sites(cursor, parent, built)
        template = cursor.kind in (Kind.FUNCTION_TEMPLATE, Kind.CLASS_TEMPLATE)
        constant_if = cursor.kind == Kind.IF_STMT and re.match(r"if\s+constexpr\b", self._code(cursor))
        for position, child in enumerate(cursor.get_children()):
            if cursor.kind == Kind.CASE_STMT and position == 0:
                continue
            constant = (position == 0 and bool(constant_if)) or (template and child.kind.is_expression())
            self._walk(child, cursor, built or constant)
        self._held = outer

    def _constant(self, cursor: Cursor) -> bool:
        """A const number made of constants alone: the compiler computes it, constexpr or not. In C++ only."""
        if self.language != "c++" or cursor.kind != Kind.VAR_DECL or not cursor.type.is_const_qualified() \
                or cursor.type.get_declaration().kind in CLASSES:
            return False
        used = (part.referenced for part in cursor.walk_preorder() if part.kind.is_expression() and part.referenced)
        return all(part.kind not in VARIABLES or self._constant(part) for part in used)

    def _sites(self, cursor: Cursor, parent: Cursor, built: bool) -> None:
        """The faults that can be made at one node of the syntax tree."""
        children, code = list(cursor.get_children()), self._code(cursor)
        if cursor.kind in (Kind.BINARY_OPERATOR, Kind.COMPOUND_ASSIGNMENT_OPERATOR) and len(children) == 2:
            self._binary(cursor, children[0], children[1], built)
        elif self.of_classes and cursor.kind == Kind.CALL_EXPR and cursor.spelling.startswith("operator") and len(children) == 3:
            self._binary(cursor, children[0], children[2], built, overloaded=True)
        elif cursor.kind == Kind.UNARY_OPERATOR and len(children) == 1:
            operand = self._code(children[0])
            if code.startswith(("++", "--")) or code.endswith(("++", "--")):
                op = "++" if "++" in code.replace(operand, "", 1) else "--"
                self._add(cursor, code.replace(op, "--" if op == "++" else "++"), built)
            elif code[0] in "!-~" and code[1:].strip() == operand:  # not what C++20 makes of !=
                self._add(cursor, operand, built, truth=code[0] == "!")
        elif cursor.kind == Kind.INTEGER_LITERAL and NUMBER.fullmatch(code):
            if parent.type.get_canonical().kind != TypeKind.CONSTANTARRAY:
                self._add(cursor, f"{code} + 1", built)
                self._add(cursor, f"{code} - 1", built)
        elif cursor.kind == Kind.CXX_BOOL_LITERAL_EXPR:
            self._add(cursor, "false" if code == "true" else "true", built)
        elif cursor.kind == Kind.DECL_REF_EXPR and cursor.referenced is not None \
                and cursor.referenced.kind == Kind.ENUM_CONSTANT_DECL:
            name = cursor.referenced.spelling
            for constant in cursor.referenced.semantic_parent.get_children():
                if constant.kind == Kind.ENUM_CONSTANT_DECL and constant.spelling != name:
                    self._add(cursor, code[:len(code) - len(name)] + constant.spelling, built)
        elif cursor.kind in (Kind.IF_STMT, Kind.WHILE_STMT, Kind.CONDITIONAL_OPERATOR) and children:
            if children[0].kind == Kind.DECL_STMT:  # if (auto a = …; condition)
                children = children[1:]
            if children[0].kind.is_expression():  # else what it declares is the condition
                self._condition(children[0], built or bool(re.match(r"if\s+constexpr\b", code)))
        elif cursor.kind == Kind.RETURN_STMT and children:
            self._returned(children[0], built)
        body = children if cursor.kind == Kind.COMPOUND_STMT else children[1:] if cursor.kind == Kind.IF_STMT else \
            children[-1:] if cursor.kind in (Kind.WHILE_STMT, Kind.FOR_STMT) else []
        for statement in body:
            if statement.kind in (Kind.BINARY_OPERATOR, Kind.COMPOUND_ASSIGNMENT_OPERATOR, Kind.UNARY_OPERATOR,
                                  Kind.CALL_EXPR):
                self._add(statement, "(deleted)", built, code="(void)0", deletion=True)

    def _binary(self, cursor: Cursor, left: Cursor, right: Cursor, built: bool, overloaded: bool = False) -> None:
        gap = self.text[left.extent.end.offset:right.extent.start.offset].decode()
        op = re.sub(r"/\*.*?\*/|//[^\n]*", "", gap, flags=re.S).strip()
        lhs, rhs = self._code(left), self._code(right)
        unordered = overloaded or any(self._unordered(side) for side in (left, right))
        for other in OTHER.get(op, []):
            if unordered and op in ("==", "!=") and other in ("<", "<=", ">", ">="):
                continue
            if other.startswith("%") and any(side.type.get_canonical().kind in FRACTIONS for side in (left, right)):
                continue
            self._add(cursor, lhs + gap.replace(op, other) + rhs, built, code=f"({lhs}) {other} ({rhs})")
        if op in ("&&", "||"):
            self._add(cursor, lhs, built, truth=True)
            self._add(cursor, rhs, built, truth=True)

    def _unordered(self, side: Cursor) -> bool:
        """Whether the values of an operand have no order; in C++ before it was made a number."""
        while self.language == "c++" and side.kind == Kind.UNEXPOSED_EXPR and len(inner := list(side.get_children())) == 1 \
                and inner[0].extent == side.extent:
            side = inner[0]
        return side.type.get_canonical().kind in WITHOUT_ORDER[self.language]

    def _condition(self, cursor: Cursor, built: bool) -> None:
        self._truth(cursor, built)
        inner = cursor
        while inner.kind in WRAPPERS and (below := [c for c in inner.get_children() if c.kind.is_expression()]):
            inner = below[-1]
        if inner.kind not in (Kind.BINARY_OPERATOR, Kind.UNARY_OPERATOR):  # those have their own mutants
            self._add(cursor, f"!({self._code(cursor)})", built, truth=True)

    def _truth(self, cursor: Cursor, built: bool) -> None:
        for value in ("true", "false"):
            self._add(cursor, value, built, code=value if self.language == "c++" else str(int(value == "true")), truth=True)

    def _returned(self, cursor: Cursor, built: bool) -> None:
        kind = cursor.type.get_canonical().kind
        literal = cursor.kind in (Kind.INTEGER_LITERAL, Kind.CXX_BOOL_LITERAL_EXPR, Kind.INIT_LIST_EXPR)
        if literal or kind in NOT_A_NUMBER:
            return
        if kind == TypeKind.BOOL:
            self._truth(cursor, built)
        elif kind != TypeKind.ENUM:
            for value in "01":
                cast = f"::mutation::as<decltype(({self._code(cursor)}))>({value})"
                self._add(cursor, value, built, code=cast if self.language == "c++" and not built else value)

    def _add(self, cursor: Cursor, new: str, built: bool, code: str | None = None, deletion: bool = False, truth: bool = False) -> None:
        begin, end = cursor.extent.start.offset, cursor.extent.end.offset
        start = self.text.rfind(b"\n", 0, begin) + 1
        line = self.text[start:self.text.find(b"\n", begin)].decode().strip()
        old, shown = " ".join(self._code(cursor).split()), " ".join(new.split())
        if old == shown or (begin, end, shown) in self._seen:
            return
        self._seen.add((begin, end, shown))
        self.mutants.append(Mutant(self._next, self.path, begin, end, line, old, shown, code or new, deletion, built,
                                   truth and self.language == "c++", self._held))
        self._next += 1

    def on_lines(self, lines: Collection[int]) -> set[int]:
        """The numbers of the mutants that begin on these lines."""
        return {mutant.number for mutant in self.mutants if self.text.count(b"\n", 0, mutant.begin) + 1 in lines}

    def replaced(self, mutant: Mutant) -> bytes:
        """The text with one mutant instead of the original."""
        return self.text[:mutant.begin] + f"({mutant.code})".encode() + self.text[mutant.end:]

    def instrumented(self, apart: Collection[int] = (), late: Collection[Held] | None = None) -> str:
        """The text with every mutant that can be chosen at run time, but for those whose numbers are `apart`.

        The constants `late` (see `held`) are computed when the program runs: their mutants can be chosen then, too. Where
        it is not None each mutant has lines of its own, APART times its number, by which a compiler's complaint names it.
        """
        places: dict[Place, list[Mutant]] = collections.defaultdict(list)
        for mutant in self.mutants:
            if mutant.number not in apart and (not mutant.built or (late and mutant.held in late)):
                places[mutant.begin, mutant.end].append(mutant)
        words = {(word, word + len("constexpr")) for _, word in late or () if word is not None}
        nested = sorted([*places, *words], key=lambda place: (place[0], -place[1]))
        on = "::mutation::on" if self.language == "c++" else "mutation_on"

        def choice(mutant: Mutant, kind: str) -> str:
            begin, end = "", ""
            if late is not None:
                begin = f'\n#line {mutant.number * APART} "{self.path}"\n'
                end = f'\n#line {self.text.count(bytes([10]), 0, mutant.begin) + 1} "{self.path}"\n'
            asks = "::mutation::late" if mutant.built else on
            return f"{asks}({mutant.number}) ? {begin}{kind}({mutant.code}){end} : "

        def rewrite(begin: int, end: int) -> bytes:
            text, at = b"", begin
            while nested and nested[0][1] <= end:
                place = nested.pop(0)
                if place in words:
                    text, at = text + self.text[at:place[0]], place[1]
                    continue
                here = places[place]
                kind = ""
                if any(mutant.deletion for mutant in here):  # a statement: its value is not used
                    kind = "(void)"
                elif any(mutant.truth for mutant in here):
                    kind = "static_cast<bool>"
                original = rewrite(*place)
                chain = "".join(choice(m, kind) for m in here).encode()
                text += self.text[at:place[0]] + b"(" + chain + kind.encode() + b"(" + original + b"))"
                at = place[1]
            return text + self.text[at:end]

        body = rewrite(0, len(self.text)).decode()
        head = '#include "mutation_switch.hpp"\n' if self.language == "c++" else SWITCH_C
        return f'{head}#line 1 "{self.path}"\n{body}'


def for_each(function: Callable[[Thing], Result], things: Sequence[Thing], jobs: int, what: str = "") -> dict[Thing, Result]:
    """function(thing) for each, `jobs` at a time. If `what` names the things, a terminal shows how many are done. A mutant that
    divides by zero leaves no core file."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    told = bool(what) and sys.stdout.isatty()
    results: dict[Thing, Result] = {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for thing, result in zip(things, pool.map(function, things)):
            results[thing] = result
            if told:
                print(f"\r\033[K{what}: {len(results)} of {len(things)}", end="", flush=True)
    if told:
        print("\r\033[K", end="", flush=True)
    return results
