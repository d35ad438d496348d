"""Puts the program and the port helper, which has its one source elsewhere, into the wheel."""
import os
import pathlib
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

HELPER = "../../../properties/ports/helpers/python/backoff_port.py"
TAG = "py3-none-{}"


class Programs(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        folder, platform = (os.environ.get(name) for name in ("BACKOFF_PROGRAMS", "BACKOFF_PLATFORM"))
        if not folder or not platform:
            raise RuntimeError("BACKOFF_PROGRAMS and BACKOFF_PLATFORM: expected the folder of the static program, and its platform; "
                               "lib/package/release sets them")
        included = build_data["force_include"]
        included[str(pathlib.Path(self.root, HELPER).resolve())] = "backoff_port.py"
        for name in ("backoff-oracle", "backoff-host"):
            included[str(pathlib.Path(folder, name))] = f"backoff_oracle/bin/{name}"
        build_data["pure_python"] = False
        build_data["tag"] = TAG.format(platform)
