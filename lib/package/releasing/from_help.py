"""Man pages and shell completions, from what the program says of itself: `--help`, and `VERB --help` of each verb.

Whatever `--help` gains, they gain. A line of it that is not understood is an error, so that nothing is left out.
Checked by: release_test.py.
"""
import dataclasses
import pathlib
import re
import subprocess
from collections.abc import Iterator

from releasing.running import Failed

NAME = "backoff-oracle"
COLUMN = 30  # where CLI11 begins what it says of an option
OTHER_SECTIONS = ("", "Positionals", "Subcommands", "Examples", "Exit codes", "Limits")  # in them are no options
FILES = re.compile(r"FILE|RESULTS|LIB|VECTORS|ANSWERS")
SYSTEMS = ("SYSTEM", "ID")
LISTED = f'{NAME} list 2>/dev/null | grep "^[a-z]"'


class NotUnderstood(Failed):
    """A line of the help that has none of the forms below."""


@dataclasses.dataclass
class Argument:
    """An option, or a positional argument, which has no dashes."""
    names: list[str]
    value: str  # what it is called in the help; empty for a flag
    about: str
    choices: list[str] = dataclasses.field(default_factory=list)
    repeats: bool = False

    def takes_file(self) -> bool:
        return bool(FILES.search(self.value))


@dataclasses.dataclass
class Verb:
    name: str
    about: str
    usage: str
    positionals: list[Argument]
    options: list[Argument]


@dataclasses.dataclass
class Help:
    about: str
    version: str
    verbs: list[Verb]
    options: list[Argument]
    exits: list[tuple[str, str]]  # (code, meaning)
    limits: str


def sections(text: str) -> dict[str, list[str]]:
    """The paragraphs below their headings; what comes first is below ''."""
    found: dict[str, list[str]] = {"": []}
    heading = ""
    for line in text.splitlines():
        if re.fullmatch("[A-Z][a-z]+( [a-z]+)?:", line):
            heading = line.removesuffix(":")
            found[heading] = []
        elif line.strip():
            found[heading].append(line)
    return found


def entries(lines: list[str]) -> list[tuple[str, str]]:
    """Pairs of the left column and its explanation, which may go on in lines of its own."""
    found: list[tuple[str, list[str]]] = []
    for line in lines:
        if line.startswith(" " * COLUMN):
            found[-1][1].append(line.strip())
        elif len(line) > COLUMN and line[COLUMN - 1] == " " and line[:COLUMN].strip() and "  " in line[2:]:
            found.append((line[:COLUMN].strip(), [line[COLUMN:].strip()]))
        else:
            found.append((line.strip(), []))
    return [(left, " ".join(about)) for left, about in found]


def argument(left: str, about: str) -> Argument:
    form = re.fullmatch(r"(?P<names>\S+)(?: (?P<value>[^ :]+?))?(?P<repeats> \.\.\.)?", left)
    if not form:
        raise NotUnderstood(f"'{left}': expected NAME [VALUE] [...]")
    names, value = [form["names"]], form["names"]
    if left.startswith("-"):
        names, value = form["names"].split(","), form["value"] or ""
    choices = value.split("|") if re.fullmatch(r"[a-z0-9]+(\|[a-z0-9]+)+", value) else []
    return Argument(names, value, about, choices, bool(form["repeats"]))


def options_in(of: dict[str, list[str]]) -> list[Argument]:
    """Those of every section, which groups them by purpose."""
    return [argument(*each) for heading, lines in of.items() if heading not in OTHER_SECTIONS for each in entries(lines)]


def help_of(program: pathlib.Path) -> Help:
    def output_of(*words: str) -> str:
        return subprocess.run([program, *words], capture_output=True, text=True, check=True).stdout

    whole = sections(output_of("--help"))
    verbs = []
    for name, about in entries(whole["Subcommands"]):
        of = sections(output_of(name, "--help"))
        usage = next(line.partition(": ")[2] for line in of[""] if line.startswith("Usage: "))
        positionals = [argument(*each) for each in entries(of.get("Positionals", []))]
        verbs.append(Verb(name, about, usage, positionals, options_in(of)))
    exits = [(code, meaning) for code, meaning in (line.split(None, 1) for line in whole["Exit codes"])]
    return Help(whole[""][0], output_of("--version").split(",")[0].split()[1], verbs, options_in(whole), exits,
                "\n".join(whole["Limits"]))


def roff(text: str) -> str:
    """The text with nothing in it that roff takes for a command."""
    return re.sub(r"(?m)^([.'])", r"\\&\1", text.replace("\\", "\\e").replace("-", "\\-"))


def man_options(options: list[Argument]) -> Iterator[str]:
    for option in options:
        value = f" \\fI{roff(option.value)}\\fR" if option.value and option.names[0].startswith("-") else ""
        names = ", ".join("\\fB" + roff(name) + "\\fR" for name in option.names)
        yield f".TP\n{names}{value}\n{roff(option.about)}".rstrip()


def man_tail(page: Help) -> Iterator[str]:
    yield ".SH EXIT STATUS"
    for code, meaning in page.exits:
        yield f".TP\n.B {code}\n{roff(meaning)}"
    yield f".SH LIMITS\n.nf\n{roff(page.limits)}\n.fi"


def man_page(title: str, about: str, synopsis: str, body: list[str], page: Help) -> str:
    return "\n".join([f'.TH {title.upper()} 1 "" "{NAME} {page.version}"', ".SH NAME", f"{roff(title)} \\- {roff(about)}",
                      ".SH SYNOPSIS", f".B {roff(synopsis)}", *body, *man_tail(page)]) + "\n"


def man(page: Help) -> dict[str, str]:
    """File name -> page: one of the program, and one of each verb."""
    body = [".SH DESCRIPTION", roff(page.about), ".SH VERBS"]
    for verb in page.verbs:
        body.append(f".TP\n.BR {roff(f'{NAME}-{verb.name}')} (1)\n{roff(verb.about)}")
    body += [".SH OPTIONS", *man_options(page.options)]
    pages = {f"{NAME}.1": man_page(NAME, "tests retry and back-off code against public documents",
                                   f"{NAME} VERB [OPTIONS]", body, page)}
    for verb in page.verbs:
        body = [".SH ARGUMENTS", *man_options(verb.positionals)] if any(each.about for each in verb.positionals) else []
        body += [".SH OPTIONS", *man_options(verb.options), f".SH SEE ALSO\n.BR {roff(NAME)} (1)"]
        pages[f"{NAME}-{verb.name}.1"] = man_page(f"{NAME}-{verb.name}", verb.about, verb.usage, body, page)
    return pages


def by_value(options: list[Argument]) -> tuple[list[str], list[str], dict[str, list[str]]]:
    """Names of the options whose value is a file, something else, or one of a few words: (files, others, {names: words})."""
    files: list[str] = []
    others: list[str] = []
    words: dict[str, list[str]] = {}
    for option in options:
        if option.choices:
            words["|".join(option.names)] = option.choices
        elif option.value:
            (files if option.takes_file() else others).extend(option.names)
    return files, others, words


def bash(page: Help) -> Iterator[str]:
    yield f"# Completion of {NAME} for bash."
    yield f"_{NAME.replace('-', '_')}() {{"
    yield "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} verb=${COMP_WORDS[1]} i"
    yield "  for ((i = 2; i < COMP_CWORD; i++)); do"
    yield "    [[ ${COMP_WORDS[i]} == -- ]] || continue"
    yield "    if declare -F _command_offset >/dev/null; then _command_offset $((i + 1))"
    yield "    else mapfile -t COMPREPLY < <(compgen -f -c -- \"$word\"); fi"
    yield "    return"
    yield "  done"
    yield "  COMPREPLY=()"
    yield "  local words="
    yield "  if ((COMP_CWORD == 1)); then"
    names = [verb.name for verb in page.verbs] + [name for option in page.options for name in option.names]
    yield f"    words='{' '.join(names)}'"
    yield "  else case $verb in"
    for verb in page.verbs:
        files, others, choices = by_value(verb.options)
        yield f"    {verb.name})"
        yield "      case $before in"
        for spellings, words in choices.items():
            yield f"        {spellings}) words='{' '.join(words)}' ;;"
        if files:
            yield f"        {'|'.join(files)}) mapfile -t COMPREPLY < <(compgen -f -- \"$word\"); return ;;"
        if others:
            yield f"        {'|'.join(others)}) return ;;"
        yield f"        *) words='{' '.join(name for option in verb.options for name in option.names)}"
        if any(each.value in SYSTEMS for each in verb.positionals):
            yield f"          '\"$({LISTED})\""
        else:
            yield "          '"
        if any(each.takes_file() for each in verb.positionals):
            yield "          [[ $word == -* ]] || { mapfile -t COMPREPLY < <(compgen -f -- \"$word\"); return; }"
        yield "          ;;"
        yield "      esac ;;"
    yield "  esac; fi"
    yield "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")"
    yield "}"
    yield f"complete -o filenames -F _{NAME.replace('-', '_')} {NAME}"


def zsh_text(text: str) -> str:
    return re.sub(r"([][:\\])", r"\\\1", text).replace("'", "'\\''")


def zsh_values(argument_: Argument) -> str:
    if argument_.choices:
        return f"({' '.join(argument_.choices)})"
    if argument_.value in SYSTEMS:
        return f"($({LISTED}))"
    return "_files" if argument_.takes_file() else " "


def zsh(page: Help) -> Iterator[str]:
    yield f"#compdef {NAME}"
    yield "local -a verbs=("
    for verb in page.verbs:
        yield f"  '{zsh_text(verb.name)}:{zsh_text(verb.about)}'"
    yield ")"
    yield "if (( CURRENT == 2 )); then"
    yield f"  _describe verb verbs; _values option {' '.join(name for option in page.options for name in option.names)}; return"
    yield "fi"
    yield "local verb=$words[2]"
    yield "shift words; (( CURRENT-- ))"
    yield "if (( ${words[(i)--]} < CURRENT )); then"
    yield "  local at=${words[(i)--]}; shift $at words; (( CURRENT -= at )); _normal; return"
    yield "fi"
    yield "case $verb in"
    for verb in page.verbs:
        yield f"  {verb.name}) _arguments -S \\"
        for option in verb.options:
            repeated = "*" if option.repeats else ""
            value = f":{zsh_text(option.value)}:{zsh_values(option)}" if option.value else ""
            for name in option.names:
                yield f"    '{repeated}{name}[{zsh_text(option.about)}]{value}' \\"
        for place, positional in enumerate(verb.positionals, 1):
            at = "*" if positional.repeats else place
            yield f"    '{at}:{zsh_text(positional.value)}:{zsh_values(positional)}' \\"
        yield "    ;;"
    yield "esac"


def fish_text(text: str) -> str:
    return "'" + re.sub(r"([\\'])", r"\\\1", text) + "'"


def fish_option(option: Argument) -> str:
    words = []
    for name in option.names:
        words += ["-l", name[2:]] if name.startswith("--") else ["-s", name[1:]]
    if option.choices:
        words += ["-x", "-a", fish_text(" ".join(option.choices))]
    elif option.value:
        words += ["-r", "-F"] if option.takes_file() else ["-x"]
    return " ".join([*words, "-d", fish_text(option.about)])


def fish(page: Help) -> Iterator[str]:
    yield f"# Completion of {NAME} for fish."
    yield f"complete -c {NAME} -f"
    yield f"complete -c {NAME} -n 'contains -- -- (commandline -opc)' -F"
    for verb in page.verbs:
        yield f"complete -c {NAME} -n __fish_use_subcommand -a {verb.name} -d {fish_text(verb.about)}"
    for option in page.options:
        yield f"complete -c {NAME} -n __fish_use_subcommand {fish_option(option)}"
    for verb in page.verbs:
        seen = f"-n '__fish_seen_subcommand_from {verb.name}; and not contains -- -- (commandline -opc)'"
        for option in verb.options:
            yield f"complete -c {NAME} {seen} {fish_option(option)}"
        if any(each.value in SYSTEMS for each in verb.positionals):
            yield f"complete -c {NAME} {seen} -a '({LISTED})'"
        if any(each.takes_file() for each in verb.positionals):
            yield f"complete -c {NAME} {seen} -F"


def write_all(program: pathlib.Path, prefix: pathlib.Path) -> None:
    """Below PREFIX/share."""
    try:
        page = help_of(program)
    except (OSError, subprocess.CalledProcessError) as why:
        raise NotUnderstood(f"{program}: {why}") from why
    texts = {f"man/man1/{name}": text for name, text in man(page).items()}
    texts |= {path: "\n".join(lines(page)) + "\n" for path, lines in {
        f"bash-completion/completions/{NAME}": bash, f"zsh/site-functions/_{NAME}": zsh,
        f"fish/vendor_completions.d/{NAME}.fish": fish}.items()}
    for name, text in texts.items():
        path = pathlib.Path(prefix) / "share" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
