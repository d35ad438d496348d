"""What the files in coverage/stages say of themselves: a head of comments, then the script.

    #!/bin/bash
    # SENTENCE                  what the stage does
    # when: change|night|week   at every change, every night, or every week: what takes longer
    # folders: FOLDER…          build folders that no other stage may use meanwhile
    # needs: WHAT               optional: what .ci/setup does not install
    # sums up: REGEX            optional: coverage/gate prints the last output line that matches, beside the name of the stage
    . "${0%/*}/prelude.sh"

Used by: gate. Checked by: gate_test.py, stages_test.py.
"""
import pathlib
import re
from typing import NamedTuple

HEAD = re.compile(r'#!/bin/bash\n# (?P<does>[A-Za-z].*)\.\n# when: (?P<when>change|night|week)\n# folders: (?P<folders>[a-z -]+)\n'
                  r'(?:# needs: (?P<needs>.+)\n)?(?:# sums up: (?P<sums_up>.+)\n)?\. "\$\{0%/\*\}/prelude\.sh"\n')
WHENS = ["change", "night", "week"]


class Stage(NamedTuple):
    file: pathlib.Path
    does: str
    when: str
    folders: list[str]
    needs: str
    sums_up: str


def read(folder: pathlib.Path) -> dict[str, Stage]:
    """By name. Those of a change come first, and first of these `tests`, on whose build the others rest. Raises ValueError."""
    stages = {}
    for file in folder.iterdir():
        if file.suffix:
            continue
        head = HEAD.match(file.read_text())
        if not head:
            raise ValueError(f"{file}: no head as stage_files.py has it")
        stages[file.name] = Stage(file, head["does"], head["when"], head["folders"].split(), head["needs"] or "", head["sums_up"] or "")
    return dict(sorted(stages.items(), key=lambda item: (WHENS.index(item[1].when), item[0] != "tests", item[0])))
