#!/usr/bin/python3
"""build.sh in OSS-Fuzz's environment, and what its check of bad builds demands: every target is there, runs on its seeds and
on bytes of its own, is instrumented, and links nothing that the runners have not.

    fuzz/oss-fuzz/build_test.py [--sanitizer address] [--out FOLDER]     Exit: 0 a good build, 1 not
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import targets

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMON = "-O1 -fno-omit-frame-pointer -gline-tables-only -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION "
# As OSS-Fuzz's base-builder sets them, but for its own C++ library, which is not here.
FLAGS = {
    "address": "-fsanitize=address -fsanitize-address-use-after-scope -fsanitize=fuzzer-no-link",
    "undefined": "-fsanitize=array-bounds,bool,builtin,enum,function,integer-divide-by-zero,null,object-size,return,"
                 "returns-nonnull-attribute,shift,signed-integer-overflow,unsigned-integer-overflow,unreachable,vla-bound,vptr "
                 "-fno-sanitize-recover=array-bounds,bool,builtin,enum,function,integer-divide-by-zero,null,object-size,return,"
                 "returns-nonnull-attribute,shift,signed-integer-overflow,unreachable,vla-bound,vptr -fsanitize=fuzzer-no-link",
    "coverage": "-fprofile-instr-generate -fcoverage-mapping",
}
# What the runners' image has: the C library, and those of the compiler.
ON_RUNNERS = {"libc.so.6", "libm.so.6", "libresolv.so.2", "libgcc_s.so.1", "libstdc++.so.6"}


def linked_elsewhere(program: pathlib.Path) -> Iterator[str]:
    """The libraries that it would not find where it runs."""
    for line in subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout.splitlines():
        name, arrow, _ = line.strip().partition(" => ")
        if arrow and name not in ON_RUNNERS:
            yield name


def problems(out: pathlib.Path, sanitizer: str) -> Iterator[str]:
    names = targets.OWN
    for name in (f"fuzz_{n}" for n in names):
        program, seeds, options = out / name, out / f"{name}_seed_corpus.zip", out / f"{name}.options"
        missing = [path.name for path in (program, seeds, options) if not path.is_file()]
        if missing:
            yield f"{', '.join(missing)}: not built"
            continue
        text = options.read_text()
        if not text.startswith("[libfuzzer]\n"):
            yield f"{options.name}: no section [libfuzzer]"
        for line in text.splitlines():
            if line.startswith("dict = ") and not (out / line.removeprefix("dict = ")).is_file():
                yield f"{options.name}: {line}: no such file"
        for library in linked_elsewhere(program):
            yield f"{name}: links {library}, which runners have not"
        with tempfile.TemporaryDirectory() as folder:
            with zipfile.ZipFile(seeds) as archive:
                archive.extractall(folder)
            inputs = [p for p in pathlib.Path(folder).rglob("*") if p.is_file()]
            if not inputs:
                yield f"{seeds.name}: no seeds"
            run = subprocess.run([program, "-runs=200", "-seed=1", folder, *sorted({str(p.parent) for p in inputs})], cwd=folder,
                                 capture_output=True, text=True, errors="replace", timeout=300, check=False)
        if run.returncode != 0:
            yield f"{name}: exit {run.returncode}:\n{run.stderr[-2000:]}"
        elif sanitizer != "coverage" and "inline 8-bit counters" not in run.stderr:
            yield f"{name}: not instrumented"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sanitizer", choices=FLAGS, default="address")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build/oss-fuzz")
    given = parser.parse_args()
    out, work = given.out / given.sanitizer / "out", given.out / given.sanitizer / "work"
    for folder in (out, work):
        folder.mkdir(parents=True, exist_ok=True)
    for path in out.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    source = (given.out / given.sanitizer / "src").resolve()  # at the same place each time: the build is kept
    source.mkdir(exist_ok=True)
    if not (source / "backoff").is_symlink():
        (source / "backoff").symlink_to(ROOT)
    flags = COMMON + FLAGS[given.sanitizer]
    done = subprocess.run([ROOT / "fuzz/oss-fuzz/build.sh"], check=False, env={
        **os.environ, "CC": "clang-19", "CXX": "clang++-19", "CFLAGS": flags, "CXXFLAGS": flags,
        "SRC": str(source), "OUT": str(out.resolve()), "WORK": str(work.resolve()),
        "LIB_FUZZING_ENGINE": "-fsanitize=fuzzer", "SANITIZER": given.sanitizer, "FUZZING_ENGINE": "libfuzzer"})
    if done.returncode != 0:
        sys.exit("build.sh failed")
    found = list(problems(out, given.sanitizer))
    for problem in found:
        print(problem)
    print(f"oss-fuzz: {len(list(out.glob('*.options')))} targets, {len(found)} problems")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
