#!/usr/bin/python3
"""A third opinion on test vectors: the documents read once more, in exact fractions, sharing nothing with library or model.

Usage: third_opinion.py VECTORS.json…
       third_opinion.py --bin DIR [--count N] [--seed S] [--plain] [--all] [SYSTEM…]
           those that DIR/backoff-oracle makes, for ports of many kinds

Every vector is answered anew under every joint assignment of the readings that are admitted. Each assignment must be in
exactly one group of a vector, and what this group picks must be the answers, field by field. One line a system.
Exit: 0 they agree · 1 they do not, or something cannot be recomputed: the first place where, in words · 2 usage.
"""
import argparse
import functools
import hashlib
import importlib
import itertools
import json
import operator
import pathlib
import subprocess
import sys
import tempfile

from answers import in_one_way

HERE = pathlib.Path(__file__).resolve().parent
SPEC = HERE.parent
sys.path.insert(0, str(SPEC))  # where STEM/third_opinion.py is


class Disagreement(Exception):
    pass


def hold(truth, *what):
    if not truth:
        raise Disagreement(" ".join(map(str, what)))


class Noted(dict):
    """Readings that note which of them are asked for."""

    def __init__(self, reading):
        super().__init__(reading)
        self.asked = {}

    def __getitem__(self, name):
        value = super().__getitem__(name)
        self.asked[name] = value
        return value


class Opinion:
    """Of a system, for ports that answered start like this."""

    def __init__(self, system, takes):
        self.about = {"draws": "injected", "draw_kind": "u32", "features": [], **takes}
        self.system = importlib.import_module(f"{system}.third_opinion")
        unknown = set(self.about["features"]) - self.system.FEATURES
        hold(not unknown, "not recomputed: vectors with", *sorted(unknown))
        catalogue = json.loads((SPEC / system / "catalogue.json").read_text())
        self.requirements = {r["id"] for r in catalogue["requirements"]}
        self.readings = {r["name"]: [a["name"] for a in r["alternatives"] if a["standing"] != "hazard"]
                         for r in catalogue["readings"]}
        if "mapping" in takes:
            self.readings["draw-mapping"] = [takes["mapping"]]
        named = (dict(zip(self.readings, each)) for each in itertools.product(*self.readings.values()))
        self.admitted = {tuple(r.values()): r for r in named if self.system.go_together(r, self.about)}
        # The default assignment: canonical wherever the port's inputs leave that open.
        canonical = {r["name"]: a["name"] for r in catalogue["readings"] for a in r["alternatives"]
                     if a["standing"] == "canonical"}
        self.canonical = max(self.admitted, key=lambda k: sum(canonical[n] == a for n, a in self.admitted[k].items()))
        self.product = functools.cache(self.product)  # few products, asked for again and again

    def product(self, text):
        """The joint assignments of one product of alternatives, written as in a vector."""
        left = dict(json.loads(text))
        hold(left.keys() <= self.readings.keys(), "no such reading:", text)
        occurring = [sorted({k[i] for k in self.admitted}) for i in range(len(self.readings))]
        for i, name in enumerate(self.readings):
            hold(set(left.get(name, [])) <= set(occurring[i]), "not admitted:", text)
        found = set(itertools.product(*(left.get(name, all_of) for name, all_of in zip(self.readings, occurring))))
        hold(found <= self.admitted.keys(), "readings that do not go together:", text)
        return found

    def answers(self, case, key, known):
        """Under this assignment; those that are equal in all readings that are asked for share them."""
        reading = self.admitted[key]
        for asked, found in known:
            if all(reading[name] == value for name, value in asked.items()):
                return found
        noted = Noted(reading)
        found = list(self.system.answers(case, noted, self.about))
        known.append((noted.asked, found))
        return found

    def differ(self, mine, says):
        """At which step; None if they do not."""
        if mine == says:
            return None
        same = getattr(self.system, "same", operator.eq)
        undecided = False
        for i in range(max(len(mine), len(says))):
            if i == len(says) and undecided:
                return None  # what comes depends on what is answered here
            if not (mine[i:i + 1] and says[i:i + 1]):
                return i
            if mine[i] != says[i] and not same(mine[i], in_one_way(says[i])):
                return i
            undecided = undecided or getattr(self.system, "undecided", lambda answer: False)(mine[i])
        return None

    def examine(self, case):
        """How many answers were recomputed."""
        hold(set(case["requirements"]) <= self.requirements, "unknown requirement among", case["requirements"])
        hold(case["requirements"] == sorted(set(case["requirements"])), "requirements in disorder")
        steps, admissible = case["steps"], case["admissible"]
        hold(len(admissible) == max(len(e["picks"]) for e in case["expected"]), "steps admit answers that are not picked")
        seen, picked, known, compared = set(), set(), [], 0
        for group in case["expected"]:
            picks = group["picks"]
            picked.update(enumerate(picks))
            of_group = set()
            for product in group["readings"]:
                found = self.product(json.dumps(sorted(product.items())))
                hold(not found & seen, "twice:", *next(iter(found & seen), ()))
                seen |= found
                of_group |= found
            hold(group["canonical"] == (self.canonical in of_group), "canonical is not", group["readings"])
            says = [answers[pick] for answers, pick in zip(admissible, picks)]
            for key in of_group:
                mine = self.answers(case, key, known)
                i = self.differ(mine, says)
                compared += len(says)
                if i is None:
                    continue
                raise Disagreement(f"step {i}, {json.dumps(steps[i])}, under {json.dumps(self.admitted[key])}\n"
                                   f"  third opinion: {json.dumps(mine[i:i + 1])}\n  vector:        {json.dumps(says[i:i + 1])}")
        hold(seen == self.admitted.keys(), "readings in no group:", *next(iter(self.admitted.keys() - seen), ()))
        for i, answers in enumerate(admissible):
            hold(all((i, p) in picked for p in range(len(answers))), f"step {i} admits an answer that is not picked")
        return compared


def examine_file(data):
    """(system, vectors, joint assignments of them, answers that were compared)"""
    end = data.rindex(b'"sha256":"') + len(b'"sha256":"')
    document = json.loads(data)
    cases, says = document["cases"], document["end"]
    hold(says == {"count": len(cases), "sha256": hashlib.sha256(data[:end]).hexdigest()}, "the end does not match:", says)
    hold(len({c["id"] for c in cases}) == len(cases), "an id twice")
    opinion = Opinion(document["header"]["system"], document["header"]["takes"])
    compared = 0
    for case in cases:
        try:
            compared += opinion.examine(case)
        except Disagreement as e:
            raise Disagreement(f"{case['id']}: {e}") from e
    return document["header"]["system"], len(cases), len(cases) * len(opinion.admitted), compared


# What ports of a system may say of themselves, beside nothing.
DRAWS = [{"draw_kind": "unit"}, {"draw_kind": "rand", "rand_max": "32767"}, {"draw_kind": "rand", "rand_max": "99999"},
         {"draws": "opaque"}]
KINDS = {
    "aws_backoff_algorithm": [*DRAWS, {"mapping": "real"}],
    "aws_prescriptive_sample": [],
    "aws_retry_utils": [*DRAWS, {"mapping": "scaled", "features": ["state"]}, {"draws": "opaque", "features": ["state"]}],
    "aws_step_functions": [],
    "azure_c_retry_control": [*DRAWS, {"features": ["clock_script", "nulls", "faults", "live"]}],
    "azure_java_retry_policy": [*DRAWS, {"features": ["total_time", "errors", "custom_policy"]}],
}


def made(program, system, kind, count, seed):
    """Vectors for ports of this kind."""
    takes = {"protocol": 1, "port": {"name": "any", "version": "", "language": ""}, "systems": [system], **kind}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as described:
        json.dump(takes, described)
        described.flush()
        run = [program, "vectors", system, "--count", str(count), "--seed", str(seed), "--max-calls", "400",
               "--describe", described.name]
        return subprocess.run(run, stdout=subprocess.PIPE, check=True).stdout


def sources(options):
    """(what to call it, its bytes)"""
    if options.bin is None:
        for name in options.names:
            yield name, pathlib.Path(name).read_bytes()
        return
    for system in options.names or sorted(path.parent.name for path in SPEC.glob("*/catalogue.json")):
        several = {"features": sorted({"instances", *(f for kind in KINDS[system] for f in kind.get("features", []))})}
        for seed, kind in enumerate([{}] if options.plain else [{}, *KINDS[system], several], options.seed):
            data = made(options.bin / "backoff-oracle", system, kind, options.count, seed)
            yield f"{system} {json.dumps(kind)} seed {seed}", data


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="VECTORS.json|SYSTEM")
    parser.add_argument("--bin", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plain", action="store_true", help="only for ports that say nothing of themselves")
    parser.add_argument("--all", action="store_true", help="go on after a file with a disagreement")
    options = parser.parse_args()
    if not options.names and options.bin is None:
        parser.error("which vectors?")
    totals, agree = {}, True
    for name, data in sources(options):
        try:
            system, *counts = examine_file(data)
        except Disagreement as e:
            print(f"{name}: {e}")
            agree = False
            if not options.all:
                return 1
            continue
        totals[system] = [a + b for a, b in itertools.zip_longest(totals.get(system, []), counts, fillvalue=0)]
    for system, counts in totals.items():
        print(f"{system}: {{}} vectors, {{}} joint readings of them, {{}} answers".format(*counts))
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
