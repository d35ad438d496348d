#!/usr/bin/python3
"""The third opinion is seen to disagree: with every fault that is planted into vectors that it agrees with.

Usage: third_opinion_test.py --bin DIR [unittest options]
"""
import copy
import hashlib
import json
import pathlib
import sys
import unittest

import third_opinion

BIN = None


def bytes_of(document):
    """The file again, its end in order."""
    document = copy.deepcopy(document)
    document["end"] = {"count": len(document["cases"]), "sha256": ""}
    data = json.dumps(document).replace('"sha256": ""', '"sha256":"').removesuffix("}}").encode()
    return data + hashlib.sha256(data).hexdigest().encode() + b'"}}'


class PlantedFaults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.made = {}

    def vectors(self, system="aws_backoff_algorithm", kind=None):
        key = system, json.dumps(kind)
        if key not in self.made:
            self.made[key] = json.loads(third_opinion.made(BIN / "backoff-oracle", system, kind or {}, 20, 1))
        return copy.deepcopy(self.made[key])

    def agrees(self, document):
        return third_opinion.examine_file(bytes_of(document))

    def differs(self, document, why):
        with self.assertRaisesRegex(third_opinion.Disagreement, why):
            self.agrees(document)

    def case(self, document):
        """With several groups, and a number to begin with."""
        return next(c for c in document["cases"] if len(c["expected"]) > 2)

    def test_the_untouched_vectors_agree(self):
        self.assertEqual(self.agrees(self.vectors())[0], "aws_backoff_algorithm")

    def test_a_value_of_each_system(self):
        values = {"aws_backoff_algorithm": ("delay_ms", "1234567"), "aws_retry_utils": ("slept_s", "1234567"),
                  "aws_step_functions": ("delay_s", "1/3"), "aws_prescriptive_sample": ("delay_ms", "1"),
                  "azure_c_retry_control": ("action", "RETRY_SOON"), "azure_java_retry_policy": ("delay_ms", "1/3")}
        self.assertEqual(set(values), set(third_opinion.KINDS))
        for system, (field, wrong) in values.items():
            document = self.vectors(system)
            case, i, answer = next((c, i, a) for c in document["cases"] for i, answers in enumerate(c["admissible"])
                                   for a in answers if field in a)
            answer[field] = wrong
            document["cases"] = [case]
            with self.subTest(system):
                self.differs(document, f"{case['id']}: step {i}.*\n.*\n.*{wrong}")

    def test_a_word(self):
        document = self.vectors()
        self.case(document)["admissible"][0][0]["status"] = "exhausted"
        self.differs(document, "step 0")

    def test_a_field_too_many(self):
        document = self.vectors()
        self.case(document)["admissible"][0][0]["why"] = "so"
        self.differs(document, "step 0")

    def test_a_set_with_one_more(self):
        document = self.vectors(kind={"draws": "opaque"})
        delays = [a["delay_ms"] for c in document["cases"] for answers in c["admissible"] for a in answers
                  if isinstance(a.get("delay_ms"), dict) and "to" in a["delay_ms"]]
        delays[0]["to"] = str(int(delays[0]["to"]) + 1)
        self.differs(document, "step")

    def test_a_group_that_is_dropped(self):
        document = self.vectors()
        self.case(document)["expected"].pop()
        self.differs(document, "in no group|not picked")

    def test_a_product_that_is_dropped(self):
        document = self.vectors(system="azure_java_retry_policy")
        group = next(e for c in document["cases"] for e in c["expected"] if len(e["readings"]) > 1)
        group["readings"].pop()
        self.differs(document, "in no group|canonical")

    def test_a_product_that_stands_twice(self):
        document = self.vectors()
        group = self.case(document)["expected"][0]
        group["readings"].append(group["readings"][0])
        self.differs(document, "twice")

    def test_the_wrong_alternative(self):
        document = self.vectors()
        case = next(c for c in document["cases"] if all(
            any(r.get("draw-mapping") == [a] for e in c["expected"] for r in e["readings"]) for a in ("modulo", "scaled")))
        for group in case["expected"]:
            for product in group["readings"]:
                swapped = {"modulo": "scaled", "scaled": "modulo"}
                product["draw-mapping"] = [swapped.get(a, a) for a in product["draw-mapping"]]
        self.differs(document, "canonical|step")

    def test_readings_that_are_not_admitted(self):
        for product, why in (({"window-growth": ["compare-half"]}, "not admitted"), ({"origin": ["zero"]}, "no such reading"),
                             ({"draw-mapping": ["real"], "delay-resolution": ["integer"]}, "do not go together")):
            document = self.vectors()
            self.case(document)["expected"][0]["readings"][0] = product
            with self.subTest(why):
                self.differs(document, why)

    def test_another_canonical_group(self):
        document = self.vectors()
        groups = self.case(document)["expected"]
        groups[0]["canonical"], groups[1]["canonical"] = False, True
        self.differs(document, "canonical")

    def test_another_pick(self):
        document = self.vectors()
        case = self.case(document)
        case["expected"][0]["picks"][0] = case["expected"][1]["picks"][0] = len(case["admissible"][0]) - 1
        self.differs(document, "step 0|not picked")

    def test_a_vector_that_ends_early(self):
        document = self.vectors()
        case = next(c for c in document["cases"] if len(c["steps"]) > 1)
        case["admissible"].pop()
        for group in case["expected"]:
            group["picks"].pop()
        self.differs(document, "step")

    def test_an_answer_that_nothing_picks(self):
        document = self.vectors()
        self.case(document)["admissible"][0].append({"status": "exhausted"})
        self.differs(document, "not picked")

    def test_an_unknown_requirement(self):
        document = self.vectors()
        document["cases"][0]["requirements"].append("AWS-BA-999")
        self.differs(document, "unknown requirement")

    def test_an_id_twice(self):
        document = self.vectors()
        document["cases"].append(document["cases"][0])
        self.differs(document, "an id twice")

    def test_a_feature_that_is_not_known(self):
        document = self.vectors()
        document["header"]["takes"]["features"] = ["teleport"]
        self.differs(document, "not recomputed: vectors with teleport")

    def test_the_end(self):
        data = bytes_of(self.vectors())
        other_digit = b"1" if data[-4:-3] == b"0" else b"0"
        for damaged in (data.replace(b'"seed": 1', b'"seed": 2'), data.replace(b'"count": 2', b'"count": 3'),
                        data[:-4] + other_digit + data[-3:]):
            self.assertNotEqual(damaged, data)
            with self.assertRaisesRegex(third_opinion.Disagreement, "the end does not match"):
                third_opinion.examine_file(damaged)


if __name__ == "__main__":
    BIN = pathlib.Path(sys.argv.pop(sys.argv.index("--bin") + 1))
    sys.argv.remove("--bin")
    unittest.main()
