#!/usr/bin/python3
"""Which fuzz targets there are, and their inputs that are not found but made or kept.

    fuzz/targets.py FOLDER    writes the inputs of seeds/bytes.txt to FOLDER/TARGET/kept/NAME, and removes those of before

CMake calls it with the folder `seeds` of a build; the build adds those that it makes: make_seeds.cpp.
Exit: 0 done, 2 a row that is no input, or a folder that cannot be written. Checked by: fuzz/campaign_test.py.
"""
import argparse
import hashlib
import pathlib
import re
import shutil
import sys

FUZZ = pathlib.Path(__file__).resolve().parent
KEPT = FUZZ / "seeds/bytes.txt"
SYSTEMS = {path.parent.name for path in (FUZZ.parent / "spec").glob("*/system.yaml")}  # one target each: system_fuzzer.cpp
OTHERS = {path.name.removesuffix("_fuzzer.cpp") for path in FUZZ.glob("*_fuzzer.cpp")} - {"system", "port"}
OWN = sorted(SYSTEMS | OTHERS)  # those of what is here; `port` is for others' code
USUAL = [name for name in OWN if name != "hostile_port"]  # an input of that one is a whole run, which takes a while
TAKES = "takes"  # the name of a row that is kept for the branches it takes


class BadRow(Exception):
    pass


def is_of_histories(name: str) -> bool:
    """Whether its inputs are histories, which it says where it finds something."""
    return name in SYSTEMS or "library_target.hpp" in (FUZZ / f"{name}_fuzzer.cpp").read_text()


def seeds(name: str, programs: pathlib.Path) -> list[pathlib.Path]:
    """Its folders of seeds: those of the build of these programs, and those that are checked in as files."""
    return [folder for folder in (programs.parent / "seeds" / name, FUZZ / "seeds" / name) if folder.is_dir()]


def demand(is_so: object, place: str, what: str) -> None:
    if not is_so:
        raise BadRow(f"{place}: expected {what}")


def rows(file: pathlib.Path) -> dict[tuple[str, str], bytes]:
    """{(target, name): bytes} of such a file."""
    found = {}
    for number, line in enumerate(file.read_text(errors="replace").split("\n"), 1):
        if not line or line.startswith("#"):
            continue
        words, place = line.split(" "), f"{file}:{number}: {line[:60]!r}"
        demand(len(words) == 3, place, "TARGET NAME BYTES, with one blank between them")
        target, name, digits = words
        demand(target in OWN, place, f"a target first, one of: {', '.join(OWN)}")
        demand(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name), place, "a name of small letters, digits and single '-'")
        demand(re.fullmatch(r"([0-9a-f]{2})+", digits), place, "bytes, each as two of the digits 0 to 9 and a to f")
        content = bytes.fromhex(digits)
        name = f"{name}-{hashlib.sha256(content).hexdigest()[:12]}" if name == TAKES else name
        demand((target, name) not in found, place, f"no second {name} of {target}")
        found[target, name] = content
    return found


def keep(target: str, content: bytes, file: pathlib.Path = KEPT) -> None:
    """Adds a row for the branches that this input takes. Rows are sorted, below the comment."""
    lines = [*file.read_text().splitlines(), f"{target} {TAKES} {content.hex()}"]
    file.write_text("\n".join(sorted(lines, key=lambda line: "" if line.startswith("#") else line)) + "\n")


def unpack(folder: pathlib.Path, file: pathlib.Path = KEPT) -> None:
    inputs = rows(file)
    for old in folder.glob("*/kept"):
        shutil.rmtree(old)
    for (target, name), content in inputs.items():
        path = folder / target / "kept" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    try:
        unpack(parser.parse_args().folder)
    except (BadRow, OSError) as error:
        print(f"fuzz/targets.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
