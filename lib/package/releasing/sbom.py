"""What is in the programs, and from which package of Debian's: an SPDX 2.3 document, and the licences.

Nothing is listed by hand. The compiler says which headers it read, and the linker which archives and objects it took; dpkg says
whose they are.
"""
import datetime
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import uuid
from typing import Any

from releasing.debian import Owners, Package, Target
from releasing.running import run

COPYRIGHT = pathlib.Path("/usr/share/doc")


def installed(paths: set[pathlib.Path]) -> set[Package]:
    """{(package, version)} of the files of this machine; a file of no package is this project's, or was generated."""
    said = subprocess.run(["dpkg-query", "--search", *map(str, sorted(paths))], capture_output=True, text=True, check=False).stdout
    names = sorted({name for line in said.splitlines() if ": " in line and not line.startswith("diversion")
                    for name in line.rpartition(": ")[0].split(", ")})
    return {(name, version) for name, version in (line.split("\t") for line in
            run("dpkg-query", "--show", "--showformat", "${Package}\t${Version}\n", *names).splitlines())} if names else set()


class Bill:
    def __init__(self, build: pathlib.Path, programs: list[pathlib.Path], owners: Owners) -> None:
        """build: where the programs were built; owners: {file: package} of unpacked packages."""
        self.build, self.programs = build, programs
        read, linked = self.read(), self.linked()
        self.static, self.headers = (
            {owners[path] for path in paths if path in owners} | installed({path for path in paths if path not in owners})
            for paths in (linked, read - linked))
        self.headers -= self.static

    def read(self) -> set[pathlib.Path]:
        said = run("ninja", "-C", self.build, "-t", "deps")
        paths = {pathlib.Path(self.build, line.strip()).resolve() for line in said.splitlines() if line.startswith("    ")}
        (page,) = re.findall(r"BACKOFF_D3:\w+=(.*)", (self.build / "CMakeCache.txt").read_text())
        return paths | {pathlib.Path(page).resolve()}

    def linked(self) -> set[pathlib.Path]:
        paths: set[pathlib.Path] = set()
        for program in self.programs:
            told = (self.build / f"bin/{program.name}.map").read_text()
            paths |= {pathlib.Path(self.build, path).resolve() for path in re.findall(r"(?m)^LOAD (.*\.[ao])$", told)}
        return paths

    def document(self, target: Target, release: str, epoch: int) -> dict[str, Any]:
        digests = {program.name: hashlib.sha256(program.read_bytes()).hexdigest() for program in self.programs}
        own: dict[str, Any] = {"SPDXID": "SPDXRef-backoff-oracle", "name": "backoff-oracle", "versionInfo": release,
               "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": "NOASSERTION",
               "licenseDeclared": "MIT", "copyrightText": "NOASSERTION", "primaryPackagePurpose": "APPLICATION",
               "comment": "; ".join(f"bin/{name} SHA-256 {digest}" for name, digest in digests.items())}
        packages: list[dict[str, Any]] = [own]
        relations = [("SPDXRef-DOCUMENT", "DESCRIBES", own["SPDXID"])]
        for kind, found in (("STATIC_LINK", self.static), ("DEPENDS_ON", self.headers)):
            for name, version in sorted(found):
                identity = f"SPDXRef-{re.sub('[^A-Za-z0-9.-]', '-', name)}"
                packages.append({
                    "SPDXID": identity, "name": name, "versionInfo": version, "supplier": "Organization: Debian",
                    "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": "NOASSERTION",
                    "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION",
                    "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator":
                                      f"pkg:deb/debian/{name}@{version.replace('+', '%2B')}?arch={target.debian}&distro=bookworm"}]})
                relations.append((own["SPDXID"], kind, identity))
        made = datetime.datetime.fromtimestamp(epoch, datetime.UTC)
        return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
                "name": f"backoff-oracle-{release}-linux-{target.name}",
                "documentNamespace": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, ' '.join(digests.values()))}",
                "creationInfo": {"created": made.strftime("%Y-%m-%dT%H:%M:%SZ"),
                                 "creators": [f"Tool: backoff-oracle-release-{release}"]},
                "packages": packages,
                "relationships": [{"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}
                                  for one, kind, other in relations]}

    def text(self, target: Target, version: str, epoch: int) -> str:
        return json.dumps(self.document(target, version, epoch), indent=1) + "\n"

    def copy_licences(self, into: pathlib.Path) -> None:
        """Of each package, as Debian collected them: who passes on the programs passes these on as well."""
        into.mkdir(parents=True)
        for name, _ in sorted(self.static | self.headers):
            found = COPYRIGHT / name / "copyright"
            if not found.exists():  # of another processor: the same text is in the package of this one
                found = COPYRIGHT / re.sub("-arm64-cross$", "", name) / "copyright"
            shutil.copy(found, into / name)
