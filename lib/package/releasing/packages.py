"""What a release holds, kind by kind. Helpers have their one source elsewhere and are copied here."""
import gzip
import pathlib
import re
import shutil
from collections.abc import Callable
from typing import NamedTuple

from releasing import archives
from releasing.program import ROOT, Program
from releasing.running import fresh, run

PACKAGE = ROOT / "lib/package"
HELPERS = ROOT / "properties/ports/helpers"
STAGES = ROOT / "build/release-packages"
# The program is static; backoff-host, which loads C libraries, takes the system's own libc and says so where it is too old.
PLATFORMS = {"x86_64": "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
             "arm64": "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64"}
GO_MODULE = "github.com/backoff-oracle/backoff-oracle/properties/ports/helpers/go"
JAVA_PACKAGE = "backoffport"
UNVERSIONED = "0.0.0"


def staged(name: str, version: str) -> pathlib.Path:
    """A copy of lib/package/NAME with the version in it."""
    stage = STAGES / name
    shutil.rmtree(stage, ignore_errors=True)
    shutil.copytree(PACKAGE / name, stage)
    for path in stage.rglob("*"):
        if path.is_file():
            path.write_text(path.read_text().replace(UNVERSIONED, version))
    shutil.copy(ROOT / "LICENSE", stage)
    return stage


def tarball(program: Program, into: pathlib.Path) -> None:
    stem = f"backoff-oracle-{program.version}-linux-{program.target.name}"
    archives.tar_gz(into / f"{stem}.tar.gz", program.folder, program.epoch, f"{stem}/")


def deb(program: Program, into: pathlib.Path) -> None:
    """The same tree where Debian has it, with what Debian demands of a package."""
    stage = fresh(STAGES / f"deb-{program.target.debian}")
    tree = stage / "usr"
    shutil.copytree(program.folder, tree)
    (tree / "share/zsh/site-functions").rename(tree / "share/zsh/vendor-completions")
    documents = tree / "share/doc/backoff-oracle"
    (documents / "LICENSE").rename(documents / "copyright")
    shutil.copytree(PACKAGE / "deb", stage, dirs_exist_ok=True)
    control = stage / "DEBIAN/control"
    for path in sorted((tree / "share/man/man1").iterdir()):
        path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes(), 9, mtime=0))
        path.unlink()
    size = sum(path.stat().st_size for path in tree.rglob("*") if path.is_file()) // 1024
    control.write_text(control.read_text().replace(UNVERSIONED, program.version).replace("ARCHITECTURE", program.target.debian)
                       .replace("SIZE", str(size)))
    for path in (stage, *stage.rglob("*")):
        path.chmod(archives.mode_of(path))
    run("dpkg-deb", "--root-owner-group", "--build", stage, into / f"backoff-oracle_{program.version}_{program.target.debian}.deb",
        env={"SOURCE_DATE_EPOCH": str(program.epoch)})


def wheel(program: Program, into: pathlib.Path) -> None:
    run("/usr/bin/python3", "-m", "build", "--wheel", "--no-isolation", "--skip-dependency-check", "--outdir", into, PACKAGE / "python",
        env={"BACKOFF_PROGRAMS": str(program.folder / "bin"), "BACKOFF_PLATFORM": PLATFORMS[program.target.name]})


def npm(program: Program, into: pathlib.Path) -> None:
    stage = staged("npm", program.version)
    shutil.copytree(program.folder / "bin", stage / "bin")
    shutil.copy(HELPERS / "javascript/backoff_port.cjs", stage)
    example = (HELPERS / "javascript/example_port.cjs").read_text()
    (stage / "example/port.cjs").write_text(example.replace("./backoff_port.cjs", "backoff-oracle"))
    run("npm", "pack", "--offline", "--pack-destination", into, cwd=stage)


def go(program: Program, into: pathlib.Path) -> None:
    """A folder that serves as GOPROXY, until the module's tag is in a public repository."""
    version = f"v{program.version}"
    folder = fresh(into / "go" / GO_MODULE / "@v")
    module = HELPERS / "go"
    files = {f"{GO_MODULE}@{version}/{path.relative_to(module).as_posix()}": path.read_bytes()
             for path in sorted(module.rglob("*")) if path.name == "go.mod" or path.suffix == ".go"}
    files[f"{GO_MODULE}@{version}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    archives.zipped(folder / f"{version}.zip", files, program.epoch)
    shutil.copy(module / "go.mod", folder / f"{version}.mod")
    (folder / f"{version}.info").write_text(f'{{"Version":"{version}"}}\n')
    (folder / "list").write_text(f"{version}\n")


def crate(program: Program, into: pathlib.Path) -> None:
    stage = staged("rust", program.version)
    for name, to in (("backoff_port.rs", "src/lib.rs"), ("example_port.rs", "examples/example_port.rs")):
        text = (HELPERS / "rust" / name).read_text()
        (stage / to).parent.mkdir()
        (stage / to).write_text(re.sub(r"(?m)^mod backoff_port;\n", "", text))
    run("cargo", "package", "--offline", "--no-verify", "--allow-dirty", "--target-dir", stage / "target", cwd=stage,
        env={"CARGO_TARGET_DIR": str(stage / "target")})
    shutil.copy(next((stage / "target/package").glob("*.crate")), into)


def jar(program: Program, into: pathlib.Path) -> None:
    """The helpers of Java, and the program, which they find as a resource."""
    stage = staged("java", program.version)
    sources = stage / "source" / JAVA_PACKAGE
    sources.mkdir(parents=True)
    for path in sorted((HELPERS / "java").glob("Backoff*.java")):
        text, placed = re.subn(r"(?m)^import ", f"package {JAVA_PACKAGE};\nimport ", path.read_text(), count=1)
        assert placed == 1, path
        (sources / path.name).write_text(text)
    run("javac", "--release", "17", "-d", stage / "classes", *sorted(sources.iterdir()))
    resource = stage / "classes" / JAVA_PACKAGE / "program" / f"linux-{program.target.name}"
    resource.mkdir(parents=True)
    shutil.copy(program.folder / "bin/backoff-oracle", resource)
    name = f"backoff-port-{program.version}"
    own = {"META-INF/MANIFEST.MF": f"Manifest-Version: 1.0\r\nAutomatic-Module-Name: {JAVA_PACKAGE}\r\n".encode(),
           "META-INF/LICENSE": (ROOT / "LICENSE").read_bytes()}
    for folder, suffix in (("classes", ""), ("source", "-sources")):
        files = {path.relative_to(stage / folder).as_posix(): path.read_bytes()
                 for path in sorted((stage / folder).rglob("*")) if path.is_file()}
        archives.zipped(into / f"{name}{suffix}.jar", own | files, program.epoch)
    shutil.copy(stage / "pom.xml", into / f"{name}.pom")


def image(program: Program, into: pathlib.Path) -> None:
    """By buildah, which takes the Dockerfile and needs no daemon."""
    stage = fresh(STAGES / "image")
    own = ["buildah", "--root", stage / "storage", "--runroot", stage / "run", "--storage-driver", "vfs"]
    name = f"backoff-oracle:{program.version}"
    run(*own, "build", "--isolation", "chroot", "--platform", f"linux/{program.target.debian}", "--timestamp", program.epoch,
        "--file", PACKAGE / "oci/Dockerfile", "--tag", name, program.folder)
    run(*own, "push", name, f"oci:{stage / 'layout'}:{program.version}")
    archives_of = into / f"backoff-oracle-{program.version}-image-{program.target.debian}.tar"
    archives_of.write_bytes(archives.tar(stage / "layout", program.epoch))


class Kind(NamedTuple):
    make: Callable[[Program, pathlib.Path], None]
    of_each_processor: bool  # else of this machine's


KINDS = {"tarball": Kind(tarball, True), "deb": Kind(deb, True), "wheel": Kind(wheel, True), "npm": Kind(npm, False),
         "jar": Kind(jar, False), "go": Kind(go, False), "crate": Kind(crate, False), "image": Kind(image, True)}
