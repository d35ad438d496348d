"""Which fuzz targets there are, and their inputs that are not found but made or kept."""
import pathlib

FUZZ = pathlib.Path(__file__).resolve().parent
SYSTEMS = {path.parent.name for path in (FUZZ.parent / "spec").glob("*/system.yaml")}  # one target each: system_fuzzer.cpp
OTHERS = {path.name.removesuffix("_fuzzer.cpp") for path in FUZZ.glob("*_fuzzer.cpp")} - {"system", "port"}
OWN = sorted(SYSTEMS | OTHERS)  # those of what is here; `port` is for others' code
USUAL = [name for name in OWN if name != "hostile_port"]  # an input of that one is a whole run, which takes a while


def is_of_histories(name):
    """Whether its inputs are histories, which it says where it finds something."""
    return name in SYSTEMS or "library_target.hpp" in (FUZZ / f"{name}_fuzzer.cpp").read_text()


def seeds(name, programs):
    """Its folders of seeds: those that the build of these programs made, and those that are checked in."""
    return [folder for folder in (programs.parent / "seeds" / name, FUZZ / "seeds" / name) if folder.is_dir()]
