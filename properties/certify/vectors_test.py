#!/usr/bin/python3
"""backoff-certify against test vectors of ports of every kind, and with planted faults.

Usage: vectors_test.py --bin DIR [CLASS…]
"""
import json
import subprocess
import tempfile
import unittest
from collections.abc import Callable
from typing import Any

from certify_runs import CONFORMS, DISAGREES, REFUSED, SPEC, certified, certify, main, program, sealed

# What ports of a system may say of themselves, beside nothing.
DRAWS: list[dict[str, Any]] = [{"draw_kind": "unit"}, {"draw_kind": "rand", "rand_max": "32767"},
                               {"draw_kind": "rand", "rand_max": "99999"}, {"draws": "opaque"}]
KINDS: dict[str, list[dict[str, Any]]] = {
    "aws_backoff_algorithm": [*DRAWS, {"mapping": "real"}],
    "aws_retry_utils": [*DRAWS, {"mapping": "scaled", "features": ["state"]}, {"draws": "opaque", "features": ["state"]}],
    "azure_c_retry_control": [*DRAWS, {"features": ["clock_script", "nulls", "faults", "live"]}],
    # Counts from 0 too, where the maximum cuts nothing off: there the judge forgives what doubles miss, though they compare exactly.
    "azure_java_retry_policy": [*DRAWS, {"features": ["total_time", "errors", "custom_policy"]}, {"ranges": {
        "retry_count": ["0", "12"], "cmin_ms": ["0", "1000"], "cmax_ms": ["10000", "2147483647"]}}],
}


def vectors(system: str, kind: dict[str, Any], count: int, seed: int) -> bytes:
    """Those for ports of this kind."""
    takes = {"protocol": 1, "port": {"name": "any", "version": "", "language": ""}, "systems": [system], **kind}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as described:
        json.dump(takes, described)
        described.flush()
        return subprocess.run([program("backoff-oracle"), "vectors", system, "--count", str(count), "--seed", str(seed),
                               "--max-calls", "400", "--describe", described.name], stdout=subprocess.PIPE, check=True).stdout


def unknown_requirements(document: dict[str, Any]) -> set[str]:
    """That a vector names, and the page of the system does not."""
    page = (SPEC / document["header"]["system"] / "system.yaml").read_text()
    return {name for case in document["cases"] for name in case["requirements"] if f"\n  {name}:\n" not in page}


class Recomputed(unittest.TestCase):
    def agree(self, system: str, kind: dict[str, Any], count: int, seed: int) -> None:
        with self.subTest(system=system, kind=kind, seed=seed):
            data = vectors(system, kind, count, seed)
            code, said = certified(data)
            self.assertEqual(code, CONFORMS, said)
            self.assertRegex(said, "vectors: [1-9][0-9]*, each under [1-9][0-9]* joint readings: [1-9][0-9]* answers recomputed")
            self.assertEqual(unknown_requirements(json.loads(data)), set())


class Vectors(Recomputed):
    """What each vector admits is recomputed, and is the same, under every joint reading."""

    def test_of_ports_that_say_nothing_of_themselves(self) -> None:
        for system in sorted(file.parent.name for file in SPEC.glob("*/system.yaml")):
            self.agree(system, {}, 60, 1)


class Kinds(Recomputed):
    def test_of_ports_of_each_kind(self) -> None:
        """The last one has all features of the system."""
        for system in certify.SYSTEMS:
            kinds = KINDS.get(system, [])
            several = {"features": sorted({"instances", *(f for kind in kinds for f in kind.get("features", []))})}
            self.assertEqual(set(several["features"]), certify.SYSTEMS[system].FEATURES)
            for seed, kind in enumerate([{}, *kinds, several], 7):
                self.agree(system, kind, 300, seed)


class VectorFaults(unittest.TestCase):
    """Faults that are planted into right vectors."""
    known: dict[str, bytes] = {}

    def vectors(self, system: str = "aws_backoff_algorithm", **kind: Any) -> dict[str, Any]:
        key = json.dumps([system, kind])
        if key not in self.known:
            self.known[key] = vectors(system, kind, 20, 1)
        document: dict[str, Any] = json.loads(self.known[key])
        return document

    def notices(self, document: dict[str, Any], why: str, code: int = DISAGREES) -> None:
        document["end"]["count"] = len(document["cases"])
        found, said = certified(sealed(document))
        self.assertEqual(found, code, said)
        self.assertRegex(said, why)

    def test_each_fault_is_noticed(self) -> None:
        """In a vector with several groups, and a delay to begin with."""
        def swap(c: dict[str, Any]) -> None:
            for product in (product for group in c["expected"] for product in group["readings"]):
                product["draw-mapping"] = [{"modulo": "scaled", "scaled": "modulo"}.get(a, a) for a in product["draw-mapping"]]
        faults: tuple[tuple[Callable[[dict[str, Any]], Any], str], ...] = (
            (lambda c: c["admissible"][0][0].update(status="exhausted"),
             "call 1, op next, draw [0-9]+, under .*: status is retry, the vector has exhausted"),
            (lambda c: c["admissible"][0][0].update(why="so"), "call 1.*: why is anything, the vector has so"),
            (lambda c: c["admissible"][0][0].pop("delay_ms"), "call 1.*: delay_ms is [0-9]+, the vector has anything"),
            (lambda c: c["expected"].pop(), "in no group|no reading picks"),
            (lambda c: c["expected"][0]["readings"].extend(c["expected"][0]["readings"][:]), "twice"),
            (lambda c: [group.update(canonical=not group["canonical"]) for group in c["expected"][:2]], "canonical"),
            (lambda c: c["expected"].append(c["expected"].pop(0)), "canonical, or first, is not"),
            (lambda c: c["expected"][0].update(picks=c["expected"][1]["picks"]), "call [0-9]+, "),
            (lambda c: [c["admissible"].pop(), *(group["picks"].pop() for group in c["expected"])], "the vector ends before it"),
            (lambda c: c["admissible"][0].append({"status": "exhausted"}), "no reading picks"),
            (lambda c: c["admissible"].append([{"status": "exhausted"}]), "not picked"),
            (lambda c: c["expected"][0]["readings"][0].update({"window-growth": ["compare-half"]}), "not admitted"),
            (lambda c: c["expected"][0]["readings"][0].update({"draw-mapping": ["real"], "delay-resolution": ["integer"]}),
             "do not go together"),
            (lambda c: c["requirements"].reverse(), "in disorder"),
            (swap, "canonical|call "))
        for n, (fault, why) in enumerate(faults):
            with self.subTest(why, n=n):
                document = self.vectors()
                case = next(c for c in document["cases"] if len(c["expected"]) > 2 and len(c["steps"]) > 1 and all(
                    any(r.get("draw-mapping") == [a] for e in c["expected"] for r in e["readings"]) for a in ("modulo", "scaled")))
                fault(case)
                self.notices(document, f"vector {case['id']}: .*({why})")

    def test_an_unknown_requirement(self) -> None:
        document = self.vectors()
        document["cases"][0]["requirements"].append("AWS-BA-999")
        self.assertEqual(unknown_requirements(document), {"AWS-BA-999"})

    def test_a_value_of_each_system(self) -> None:
        for system, of in certify.SYSTEMS.items():
            document = self.vectors(system)
            case, i, answer, field = next((c, i, a, f) for c in document["cases"] for i, answers in enumerate(c["admissible"], 1)
                                          for a in answers for f in (of.NUMBERS & a.keys()) - {"result"} or a.keys() & {"action"})
            answer[field] = "1/7" if field in of.NUMBERS else "RETRY_SOON"
            document["cases"] = [case]
            self.notices(document, f"vector {case['id']}: call {i}, .*{field} is .*, the vector has {answer[field]}")

    def test_a_set_with_one_more(self) -> None:
        document = self.vectors(draws="opaque")
        delay = next(a["delay_ms"] for c in document["cases"] for answers in c["admissible"] for a in answers if "to" in a["delay_ms"])
        delay["to"] = str(int(delay["to"]) + 1)
        self.notices(document, "delay_ms is 0 to [0-9]+ by 1, the vector has 0 to")

    def test_a_product_that_is_dropped(self) -> None:
        document = self.vectors("azure_java_retry_policy")
        next(e for c in document["cases"] for e in c["expected"] if len(e["readings"]) > 1)["readings"].pop()
        self.notices(document, "in no group|canonical")

    def test_what_is_not_as_the_format_has_it_is_refused(self) -> None:
        faults: tuple[tuple[Callable[[dict[str, Any]], Any], str], ...] = (
            (lambda v: v["cases"][0]["expected"][0]["readings"].append({"origin": ["zero"]}), "no such reading"),
            (lambda v: v["cases"].append(v["cases"][0]), "an id twice"),
            (lambda v: v["cases"].clear(), "no vectors"),
            (lambda v: v["header"]["takes"].update(features=["teleport"]), "does not know: teleport"),
            (lambda v: v["header"].update(system="aws_retry_guess"), "unknown system aws_retry_guess"),
            (lambda v: v["cases"][0]["admissible"][0][0].update(delay_ms="1e3"), "expected a number, found '1e3'"))
        for fault, why in faults:
            with self.subTest(why):
                document = self.vectors()
                fault(document)
                self.notices(document, why, REFUSED)

    def test_the_end(self) -> None:
        data = sealed(self.vectors())
        self.assertEqual(certified(data)[0], CONFORMS)
        other_digit = b"1" if data[-5:-4] == b"0" else b"0"
        for damaged in (data.replace(b'"seed":1', b'"seed":2'), data.replace(b'"count":2', b'"count":3'), data[:-1],
                        data[:-5] + other_digit + data[-4:]):
            code, said = certified(damaged)
            self.assertEqual((code, "edited or damaged" in said), (REFUSED, True), said)
        document = self.vectors()
        document["end"]["count"] += 1
        code, said = certified(sealed(document))
        self.assertEqual((code, "not as many as it says" in said), (REFUSED, True), said)


if __name__ == "__main__":
    main(__doc__)
