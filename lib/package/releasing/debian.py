"""What a release takes from Debian and is not installed: packages of another processor.

apt-get fetches and verifies them, as this machine's own sources of packages say, with lists in a folder of their own: neither
root nor a foreign architecture is needed.
"""
import dataclasses
import pathlib
import re

from releasing.running import Failed, fresh, run

Package = tuple[str, str]  # its name and its version
Owners = dict[pathlib.Path, Package]  # by file

ETC = pathlib.Path("/etc/apt")
SAME_FOR_ALL = ("boost", "fmt", "nlohmann", "rapidjson", "CLI")  # folders of headers alone


@dataclasses.dataclass(frozen=True)
class Target:
    name: str
    debian: str  # what Debian calls the processor
    tools: str   # what the names of its compiler's tools begin with


TARGETS = {target.name: target for target in (Target("x86_64", "amd64", ""), Target("arm64", "arm64", "aarch64-linux-gnu-"))}


def for_any_processor(text: str) -> str:
    """The same places, asked for packages of another processor as well."""
    return re.sub(r"(?m)^Architectures:.*\n", "", text)


class Debian:
    def __init__(self, folder: pathlib.Path, architecture: str) -> None:
        self.folder, self.architecture = folder, architecture
        places = fresh(folder / "apt" / architecture / "places")
        for path in (ETC / "sources.list", *(ETC / "sources.list.d").glob("*")):
            if path.is_file() and path.suffix in (".list", ".sources") and "debian" in path.read_text():
                (places / path.name).write_text(for_any_processor(path.read_text()))
        if not any(places.iterdir()):
            raise Failed(f"{ETC}: expected a source of Debian's packages")
        lists = folder / "apt" / architecture
        for name in ("lists/partial", "cache/archives/partial"):
            (lists / name).mkdir(parents=True, exist_ok=True)
        self.options = [f"-o{name}={value}" for name, value in {
            "Dir::Etc::sourceparts": places, "Dir::Etc::sourcelist": "/dev/null", "Dir::State::lists": lists / "lists",
            "Dir::State::status": "/dev/null", "Dir::Cache": lists / "cache", "APT::Architecture": architecture,
            "APT::Architectures": architecture, "APT::Sandbox::User": "", "Debug::NoLocking": "true"}.items()]
        run("apt-get", *self.options, "-qq", "update")

    def unpacked(self, *packages: str) -> tuple[pathlib.Path, Owners]:
        """The folder that the packages were unpacked to, and {file in it: (package, version)}."""
        into = fresh(self.folder / f"root-{self.architecture}")
        fetched = fresh(self.folder / f"debs-{self.architecture}")
        owners: Owners = {}
        run("apt-get", *self.options, "-qq", "download", *packages, cwd=fetched)
        for path in sorted(fetched.glob("*.deb")):
            owner = (run("dpkg-deb", "--field", path, "Package").strip(), run("dpkg-deb", "--field", path, "Version").strip())
            run("dpkg-deb", "--extract", path, into)
            owners |= {into / name.removeprefix("./"): owner
                       for name in re.findall(r"(?m)^-.* (\./\S+)$", run("dpkg-deb", "--contents", path))}
        for name in SAME_FOR_ALL:
            (into / "usr/include" / name).symlink_to(pathlib.Path("/usr/include") / name)
        return into, owners
