"""The program for one processor, linked so that it needs nothing of the system that it runs on, and what comes with it."""
import os
import pathlib
import re
import shutil
from collections.abc import Callable

from releasing import from_help
from releasing.debian import Debian, Owners, Target
from releasing.running import Failed, fresh, run
from releasing.sbom import Bill

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
NAMES = ("backoff-oracle", "backoff-host")
MOST_BYTES = 16_000_000


class Program:
    """`folder` is what a tarball holds: bin, share."""

    def __init__(self, target: Target, version: str, epoch: int) -> None:
        self.target, self.version, self.epoch = target, version, epoch
        self.build = ROOT / f"build/static-{target.name}"
        self.folder = ROOT / f"build/released-{target.name}"
        self.native = target.debian == run("dpkg", "--print-architecture").strip()

    def made(self, speaker: pathlib.Path | None, each_line: Callable[[str], None]) -> "Program":
        """speaker: a program of the same sources that runs here, for its help; each_line: is told what the build prints."""
        owners: Owners = {}
        options: list[str | pathlib.Path] = ["-DBACKOFF_STATIC=ON"]
        if not self.native:
            unpacked, owners = Debian(ROOT / "build/release-downloads", self.target.debian).unpacked(
                "libuv1-dev", "libssl-dev", "libyaml-cpp-dev")
            options += ["--toolchain", HERE / "arm64.cmake", f"-DBACKOFF_ARM64={unpacked}",
                        f"-DCMAKE_PROJECT_INCLUDE={HERE / 'own_headers.cmake'}"]
        run("cmake", "--preset", "package", "-B", self.build, *options, cwd=ROOT)
        jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count()))
        run("cmake", "--build", self.build, "--parallel", jobs, "--target", "backoff-oracle", each_line=each_line)
        binaries = fresh(self.folder) / "bin"
        binaries.mkdir()
        for name in NAMES:
            run(f"{self.target.tools}strip", "--strip-all", "-o", binaries / name, self.build / "bin" / name)
        self.demand_static()
        from_help.write_all(speaker or self.program(), self.folder)
        documents = self.folder / "share/doc/backoff-oracle"
        documents.mkdir(parents=True)
        shutil.copy(ROOT / "LICENSE", documents)
        shutil.copy(HERE.parent / "README.md", documents)
        bill = Bill(self.build, [binaries / name for name in NAMES], owners)
        bill.copy_licences(documents / "licences")
        (documents / "sbom.spdx.json").write_text(bill.text(self.target, self.version, self.epoch))
        return self

    def program(self) -> pathlib.Path:
        return self.folder / "bin" / NAMES[0]

    def demand_static(self) -> None:
        needed = re.findall(r"NEEDED.*\[(.*)\]|INTERP", run("readelf", "--wide", "--dynamic", "--program-headers", self.program()))
        if needed:
            raise Failed(f"{self.program()}: needs {', '.join(needed)} or a loader, expected a static program")
        size = self.program().stat().st_size
        if size > MOST_BYTES:
            raise Failed(f"{self.program()}: {size} bytes, expected at most {MOST_BYTES}")
