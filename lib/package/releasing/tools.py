"""The tools that a release takes, looked for before anything is built."""
import importlib.util
import pathlib
import shutil
from collections.abc import Iterable

ALWAYS = ("git", "cmake", "ninja", "g++", "strip", "readelf", "apt-get", "dpkg-query", "help2man", "pkg-config")
OF = {"deb": ("dpkg-deb",), "wheel": ("python3-build", "python3-hatchling"), "npm": ("npm",), "jar": ("javac",), "crate": ("cargo",),
      "image": ("buildah",), "arm64": ("aarch64-linux-gnu-g++", "aarch64-linux-gnu-strip", "dpkg-deb")}
# Of these, no program says that they are there.
MODULES = {"python3-build": "build", "python3-hatchling": "hatchling"}
FILES = {"libuv1-dev": "include/uv.h", "libssl-dev": "include/openssl/ssl.h", "libyaml-cpp-dev": "include/yaml-cpp/yaml.h",
         "libboost-dev": "include/boost/version.hpp", "libfmt-dev": "include/fmt/format.h", "libcli11-dev": "include/CLI/CLI.hpp",
         "nlohmann-json3-dev": "include/nlohmann/json.hpp", "rapidjson-dev": "include/rapidjson/reader.h",
         "libjs-d3": "share/javascript/d3/d3.min.js"}


def is_there(tool: str) -> bool:
    if tool in MODULES:
        return importlib.util.find_spec(MODULES[tool]) is not None
    if tool in FILES:
        return pathlib.Path("/usr", FILES[tool]).exists()
    return shutil.which(tool) is not None


def missing(kinds: Iterable[str], architectures: Iterable[str]) -> list[str]:
    wanted = [*ALWAYS, *FILES, *(tool for name in (*kinds, *architectures) for tool in OF.get(name, ()))]
    return [tool for tool in dict.fromkeys(wanted) if not is_there(tool)]
