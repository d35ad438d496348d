"""Man pages and shell completions, from what the program says of itself: `--help`, and `VERB --help` of each verb.

Whatever `--help` gains, they gain. An option that is not understood is an error, so that nothing is left out.
Checked by: release_test.py.
"""
import dataclasses
import pathlib
import re
import tempfile
from collections.abc import Iterator

from releasing.running import Failed, run

NAME = "backoff-oracle"
FILES = re.compile(r"FILE|RESULTS|LIB|VECTORS|ANSWERS")
SYSTEMS = ("SYSTEM", "ID")
# Documents, and policies of the shelf. In Turkish, i is not among a-z.
LISTED = f'{NAME} list 2>/dev/null | env LC_ALL=C grep -o "[a-z0-9]*_[a-z0-9_]*"'


@dataclasses.dataclass
class Argument:
    """An option, or a positional argument, which has no dashes."""
    names: list[str]
    value: str  # what it is called in the help; empty for a flag
    about: str
    repeats: bool

    def completed_by(self, words: str, systems: str, file: str, other: str) -> str:
        """The one of these that fits its value; `words` has a place for the few words that the value may be."""
        if re.fullmatch(r"[a-z0-9]+(\|[a-z0-9]+)+", self.value):
            return words.format(self.value.replace("|", " "))
        return systems if self.value in SYSTEMS else file if FILES.search(self.value) else other if self.value else ""


@dataclasses.dataclass
class Help:
    """What the program, or a verb, says of itself."""
    name: str  # empty for the program
    page: str
    about: str
    text: str
    positionals: list[Argument]
    options: list[Argument]
    verbs: list["Help"]


def section(text: str, heading: str) -> str:
    return "".join(re.findall(rf"(?m)^{heading}:\n((?: .*\n)*)", text))


def entries(text: str) -> Iterator[tuple[str, str]]:
    """Pairs of the left column and its explanation, which may go on in lines of its own."""
    for entry in re.findall(r"(?m)^  (\S.*(?:\n   .*)*)", text):
        left, *about = re.split(r"\s{2,}", entry)
        yield left, " ".join(about)


def argument(left: str, about: str) -> Argument:
    form = re.fullmatch(r"(?P<names>\S+)(?: (?P<value>[^ :]+?))?(?P<repeats> \.\.\.)?", left)
    if not form:
        raise Failed(f"'{left}': expected NAME [VALUE] [...]")
    value = (form["value"] or "") if left.startswith("-") else form["names"]
    return Argument(form["names"].split(","), value, about, bool(form["repeats"]))


def help_of(program: pathlib.Path, *verb: str) -> Help:
    text = run(program, *verb, "--help")
    return Help("".join(verb), "-".join((NAME, *verb)), text.partition("\nUsage:")[0].strip().removesuffix("."), text,
                [argument(*each) for each in entries(section(text, "Positionals"))],
                [argument(*each) for each in entries(text) if each[0].startswith("-")],
                [help_of(program, name) for name, _ in entries(section(text, "Subcommands"))])


def man(page: Help, also: list[Help], version: str, folder: pathlib.Path) -> None:
    """By help2man. It takes *HEADING* for a section; it would fill the lines of examples, so they are given as they are."""
    examples = section(page.text, "Examples")
    text = page.text.replace(f"Examples:\n{examples}", "").replace("Exit codes:", "Exit status:")
    text = re.sub(r"(?m)^(Subcommands|Exit status|Limits):$", r"*\1*", text)
    text = re.sub(r"(?m)^(  -\w),(--.*?) (?= )", r"\1, \2", text)  # both names in bold
    included = f"[examples]\n.nf\n{examples}.fi\n" if examples else ""
    included += "[see also]\n.ad l\n.nh\n" + ",\n".join(f".BR {each.page} (1)" for each in also) + "\n"
    with tempfile.TemporaryDirectory() as scratch:
        (pathlib.Path(scratch) / "help").write_text(text)
        (pathlib.Path(scratch) / "included").write_text(included.replace("\\", "\\e").replace("-", "\\-"))
        run("help2man", "--locale=C.UTF-8", "--no-info", f"--name={page.about}", f"--source={NAME} {version}", "--include=included",
            f"--version-string={page.page} {version}", f"--output={folder.resolve() / page.page}.1", "--help-option=help", "cat",
            cwd=pathlib.Path(scratch))


def names_of(options: list[Argument]) -> str:
    return " ".join(name for option in options for name in option.names)


def bash(page: Help) -> Iterator[str]:
    yield f"# Completion of {NAME} for bash."
    yield f"_{NAME.replace('-', '_')}() {{"
    yield "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} verb=${COMP_WORDS[1]} by=(-W '') i"
    yield "  for ((i = 2; i < COMP_CWORD; i++)); do"
    yield "    [[ ${COMP_WORDS[i]} == -- ]] || continue"
    yield "    if declare -F _command_offset >/dev/null; then _command_offset $((i + 1))"
    yield "    else mapfile -t COMPREPLY < <(compgen -f -c -- \"$word\"); fi"
    yield "    return"
    yield "  done"
    yield "  case $COMP_CWORD:$verb:$before in"
    yield f"    1:*) by=(-W '{' '.join(verb.name for verb in page.verbs)} {names_of(page.options)}') ;;"
    for verb in page.verbs:
        for option in verb.options:
            by = option.completed_by("-W '{}'", f'-W "$({LISTED})"', "-f", "-W ''")
            yield from (f"    *:{verb.name}:{name}) by=({by}) ;;" for name in option.names if by)
        places = {each.completed_by("", f'; by[1]+=" $({LISTED})"', "; [[ $word == -* ]] || by=(-f)", "") for each in verb.positionals}
        yield f"    *:{verb.name}:*) by=(-W '{names_of(verb.options)}'){''.join(sorted(places))} ;;"
    yield "  esac"
    yield "  mapfile -t COMPREPLY < <(compgen \"${by[@]}\" -- \"$word\")"
    yield "}"
    yield f"complete -o filenames -F _{NAME.replace('-', '_')} {NAME}"


def zsh_text(text: str) -> str:
    return re.sub(r"([][:\\])", r"\\\1", text).replace("'", "'\\''")


def zsh_value(of: Argument) -> str:
    return f":{zsh_text(of.value)}:{of.completed_by('({})', f'($({LISTED}))', '_files', ' ')}" if of.value else ""


def zsh(page: Help) -> Iterator[str]:
    yield f"#compdef {NAME}"
    yield "local -a verbs=("
    for verb in page.verbs:
        yield f"  '{zsh_text(verb.name)}:{zsh_text(verb.about)}'"
    yield ")"
    yield "if (( CURRENT == 2 )); then"
    yield f"  _describe verb verbs; _values option {names_of(page.options)}; return"
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
            for name in option.names:
                yield f"    '{'*' * option.repeats}{name}[{zsh_text(option.about)}]{zsh_value(option)}' \\"
        for place, positional in enumerate(verb.positionals, 1):
            yield f"    '{'*' if positional.repeats else place}{zsh_value(positional)}' \\"
        yield "    ;;"
    yield "esac"


def fish_text(text: str) -> str:
    return "'" + re.sub(r"([\\'])", r"\\\1", text) + "'"


def fish(page: Help) -> Iterator[str]:
    yield f"# Completion of {NAME} for fish."
    yield f"complete -c {NAME} -f"
    yield f"complete -c {NAME} -n 'contains -- -- (commandline -opc)' -F"
    for verb in page.verbs:
        yield f"complete -c {NAME} -n __fish_use_subcommand -a {verb.name} -d {fish_text(verb.about)}"
    for of in (page, *page.verbs):
        seen = f"'__fish_seen_subcommand_from {of.name}; and not contains -- -- (commandline -opc)'"
        start = f"complete -c {NAME} -n {'__fish_use_subcommand' if of is page else seen}"
        for option in of.options:
            names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)
            value = option.completed_by("-x -a '{}' ", f"-x -a '({LISTED})' ", "-r -F ", "-x ")
            yield f"{start} {names} {value}-d {fish_text(option.about)}"
        places = {each.completed_by("", f"-a '({LISTED})'", "-F", "") for each in of.positionals}
        yield from (f"{start} {place}" for place in sorted(places) if place)


def write_all(program: pathlib.Path, prefix: pathlib.Path) -> None:
    """Below PREFIX/share."""
    page = help_of(program)
    for name, lines in ((f"bash-completion/completions/{NAME}", bash), (f"zsh/site-functions/_{NAME}", zsh),
                        (f"fish/vendor_completions.d/{NAME}.fish", fish)):
        path = prefix / "share" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines(page)) + "\n")
    pages = prefix / "share/man/man1"
    pages.mkdir(parents=True, exist_ok=True)
    version = run(program, "--version").split(",")[0].removeprefix(f"{NAME} ")
    for each in (page, *page.verbs):
        man(each, [page] if each.name else page.verbs, version, pages)
