#!/usr/bin/python3
"""`watch`: programs as they run, right and wrong, each against the document that states how it waits.

    watch_test.py --bin build/release/bin

Waits are real, so each fault here is one of many milliseconds. A right program must never be accused, however busy the
machine is; that it conforms is asked only where nothing but the machine's slowness could stand in the way.
"""
import json
import math
import pathlib
import shutil
import sys
import tempfile
import unittest
import xml.etree.ElementTree
from typing import Any

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve()
sys.path.insert(0, str(HERE.parent / "test_ports"))
import running  # noqa: E402

POLICY = """\
name: my_client
unit: ms
document: README of my client
parameters:
  base: {default: 200, range: [1, 60000]}
  cap: {default: 1000, range: [1, 3600000]}
  tries: {default: 4, range: [0, 50]}
window: min(cap, base * 2^n)
delay: uniform(window / 2, window)
attempts: tries
"""
# A client of that policy; the second word is what it does wrong.
CLIENT = """\
import http.client, random, sys, time
port, fault = int(sys.argv[1]), sys.argv[2]
own = random.Random(1 if fault == "one-seed" else None)
retries = {"one-more": 5, "one-less": 3}.get(fault, 4)
for n in range(retries + 1):
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", "/")
    if connection.getresponse().status < 300:
        sys.exit()
    connection.close()
    if n == retries:
        sys.exit(1)
    window = min(1000, 200 * 2**n)
    draw = 1 if fault == "no-jitter" else own.random()
    wait = window / 2 * (1 + draw)
    if fault == "at-once":
        wait = 0
    if fault == "third-late" and n == 2:
        wait += 3000
    if fault == "never-back" and n == 1:
        time.sleep(60)
    time.sleep(wait / 1000)
"""
STEADY = """\
import socket, sys, time
for n in range(4):
    try:
        with socket.create_connection(("127.0.0.1", int(sys.argv[1])), 1) as s:
            s.recv(9)
    except OSError:
        pass
    time.sleep(0.3 * (n < 3))
"""
BOTOCORE = """\
import sys, botocore.config, botocore.session
client = botocore.session.get_session().create_client(
    "sqs", "us-east-1", endpoint_url=sys.argv[1], aws_access_key_id="a", aws_secret_access_key="b",
    config=botocore.config.Config(retries={"mode": "standard", "max_attempts": 3}))
try:
    client.list_queues()
except Exception:
    sys.exit(1)
"""
URLLIB3 = """\
import sys, urllib3
retry = urllib3.Retry(total=4, backoff_factor=0.2, status_forcelist=[503])
try:
    urllib3.PoolManager(retries=retry).request("GET", sys.argv[1])
except urllib3.exceptions.MaxRetryError:
    sys.exit(1)
"""
REQUESTS = """\
import sys, requests, urllib3
session = requests.Session()
retry = urllib3.Retry(total=3, backoff_factor=0.2, status_forcelist=[503])
session.mount("http://", requests.adapters.HTTPAdapter(max_retries=retry))
try:
    session.get(sys.argv[1])
except requests.exceptions.RetryError:
    sys.exit(1)
"""
GRPC = """\
import sys, grpc
options = [("grpc.initial_reconnect_backoff_ms", 100), ("grpc.max_reconnect_backoff_ms", 1000)]
grpc.channel_ready_future(grpc.insecure_channel(sys.argv[1], options=options)).result()
"""
# Ends its retries at a client error.
BY_STATUS = """\
import sys, time, urllib.error, urllib.request
for tries in range(4):
    try:
        urllib.request.urlopen(sys.argv[1]).read()
        break
    except urllib.error.HTTPError as error:
        if tries == 3 or error.code < 500:
            sys.exit(1)
        time.sleep(0.3 * 2 ** tries)
"""
# Cuts the last wait to what is left of a second by its clock, which runs during its attempts, too.
CUT = """\
import sys, time, urllib.error, urllib.request
start, tries = time.monotonic(), 0
while True:
    try:
        urllib.request.urlopen(sys.argv[1]).read()
    except OSError:
        left = 1.0 - (time.monotonic() - start)
        if left <= 0:
            sys.exit(1)
        time.sleep(min(0.2 * 2 ** tries, left))
        tries += 1
"""
PAHO = """\
import sys, paho.mqtt.client
client = paho.mqtt.client.Client()
client.reconnect_delay_set(1, 2)
client.connect_async(sys.argv[1], int(sys.argv[2]))
client.loop_forever(retry_first_connection=True)
"""


# What a slow machine does to a verdict.
SLOW = ("that ended while the machine was slow", "too few to tell from a slow machine", "; longer delays")


def watched(*words: str, program: list[str]) -> running.Run:
    """Watches again where the machine was too slow to tell."""
    for _ in range(8):
        run = running.oracle("watch", *words, port=program)
        if not any(said in run.out for said in SLOW):
            break
    return run


def watch(system: str, *words: str, program: list[str]) -> running.Run:
    return watched(system, *words, "--format", "json", program=program)


class WatchTest(unittest.TestCase):
    maxDiff = None

    def setUp(self) -> None:
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "my_client.yaml").write_text(POLICY)
        (self.folder / "client.py").write_text(CLIENT)
        self.policy = str(self.folder / "my_client.yaml")

    def client(self, fault: str, *words: str, runs: int = 12) -> tuple[running.Run, dict[str, Any]]:
        program = [sys.executable, str(self.folder / "client.py"), "{port}", fault]
        run = watch(self.policy, "--runs", str(runs), "--jobs", "12", *words, program=program)
        return run, json.loads(run.out)

    def claims(self, found: dict[str, Any]) -> set[str]:
        return {each["claim"] for each in found["findings"]}

    def assert_right(self, run: running.Run) -> None:
        """Not accused; and inconclusive only for waits that a slow machine may have caused."""
        found = json.loads(run.out)
        self.assertEqual(found["findings"], [], run.out)
        if run.code != 0:
            self.assertRegex(found["verdict"], "too few to tell|machine was slow|; longer delays|how delays are drawn was not tested")
        self.assertGreater(found["waits"], 0)

    def right_and_wrong(self, system: str, words: list[str], program: list[str], right: str, wrong: str, claim: str) -> None:
        """right and wrong: a parameter of the document, as the program has it and otherwise."""
        self.assert_right(watch(system, *words, "--param", right, program=program))
        run = watch(system, *words, "--param", wrong, program=program)
        self.assertEqual(run.code, 1, run)
        self.assertIn(claim, self.claims(json.loads(run.out)))

    def test_a_right_program_conforms(self) -> None:
        run, found = self.client("none")
        self.assert_right(run)
        self.assertEqual(found["attempts"], 12 * 5)
        self.assertEqual([row["retry"] for row in found["retries"]], [1, 2, 3, 4])
        self.assertEqual(found["retries"][3]["documented_ms"], [500, 1000])

    def test_each_fault_is_found(self) -> None:
        for fault, claim in {"at-once": "waits_are_not_too_short", "third-late": "waits_are_not_too_long",
                             "one-more": "retries_are_limited", "one-less": "retries_are_made"}.items():
            with self.subTest(fault):
                run, found = self.client(fault, runs=24)
                self.assertEqual(run.code, 1, run)
                self.assertIn(claim, self.claims(found))

    def test_a_program_that_never_comes_back_is_ended_and_told(self) -> None:
        run, found = self.client("never-back", "--idle", "5", runs=3)
        self.assertEqual((run.code, self.claims(found)), (1, {"the_program_comes_back"}), run)

    def test_draws_are_judged_where_the_machine_is_quick_enough(self) -> None:
        for fault in ("no-jitter", "one-seed"):
            with self.subTest(fault):
                run, found = self.client(fault, "--slack", "40", runs=100)
                self.assertEqual((run.code, self.claims(found)), (1, {"waits_fill_their_range"}), run)

    def test_retry_after_is_what_the_document_makes_of_it(self) -> None:
        curl = [shutil.which("curl") or "curl", "-s", "-o", "/dev/null", "--retry", "2", "{url}"]
        self.assert_right(watch("curl_retry", "--param", "retry=2", "--runs", "3", "--retry-after", "2", program=curl))
        run = running.oracle("watch", "wget_waitretry", "--param", "tries=3", "--runs", "1", "--retry-after", "3", port=curl)
        self.assertEqual(run.code, 5, "3 s instead of 1 s: too few to tell")
        self.assertIn("  Retry-After, of which the document says nothing: 2 of 2 waits are as long as it says\n", run.out)
        steady = [*curl[:-1], "--retry-delay", "3", "{url}"]
        run = running.oracle("watch", "curl_retry", "--param", "retry=2", "--runs", "3", "--jobs", "3", port=steady)
        self.assertNotIn("Retry-After", run.out)

    def policy_file(self, name: str, *lines: str) -> str:
        path = self.folder / f"{name}.yaml"
        path.write_text("\n".join([f"name: {name}", "unit: ms", *lines, ""]))
        return str(path)

    def test_each_failure_fills_the_arguments_of_the_policy(self) -> None:
        program = [sys.executable, "-c", BY_STATUS, "{url}"]
        rest = ["delay: 300 * 2^n", "attempts: 3"]
        by_status = self.policy_file("by_status", "call:", "  status: {default: 503, range: [100, 599]}", *rest, "while: status >= 500")
        for failures, attempts in (("503,401", 2), ("404", 1), ("503,500,502,503", 4)):
            with self.subTest(failures):
                run = watch(by_status, "--fail", failures, "--runs", "3", "--jobs", "3", program=program)
                found = json.loads(run.out)
                self.assertEqual((found["findings"], found["attempts"]), ([], 3 * attempts), run)
        every = self.policy_file("every", "call:", "  status: {default: 503, range: [100, 599]}", *rest)
        run = watch(every, "--fail", "503,401", "--runs", "3", "--jobs", "3", program=program)
        self.assertEqual((run.code, self.claims(json.loads(run.out))), (1, {"retries_are_made"}), run)
        answered = self.policy_file("answered", "call:", "  answer: [server_error, client_error]", *rest, "while: answer == server_error")
        run = running.oracle("watch", answered, "--fail", "503", port=program)
        self.assertEqual((run.code, run.err.count("\n")), (2, 1))
        self.assertIn("'answer' of answered: expected --param answer=VALUE", run.err)
        run = watched(answered, "--fail", "503", "--runs", "2", "--param", "answer=server_error", program=program)
        self.assertIn("document    answered, answer=server_error\n", run.out)
        self.assertNotEqual(run.code, 1, run)

    def test_the_time_elapsed_may_count_the_attempts(self) -> None:
        program = [sys.executable, "-c", CUT, "{url}"]
        for budget, claims in ((1000, set()), (500, {"retries_are_limited"}), (2000, {"retries_are_made"})):
            with self.subTest(budget):
                policy = self.policy_file(f"cut_{budget}", f"delay: min(200 * 2^n, {budget} - elapsed)", f"while: elapsed < {budget}")
                run = watch(policy, "--runs", "12", "--jobs", "6", program=program)
                self.assertLessEqual(claims, self.claims(json.loads(run.out)), run)
                if not claims:
                    self.assert_right(run)

    def test_curl(self) -> None:
        curl = [shutil.which("curl") or "curl", "-s", "-o", "/dev/null", "--retry", "3", "{url}"]
        self.assert_right(watch("curl_retry", "--param", "retry=3", "--runs", "4", program=curl))
        run = watch("curl_retry", "--param", "retry=3", "--runs", "2", program=[*curl[:4], "--retry", "3", "--retry-delay", "1", "{url}"])
        self.assertEqual((run.code, self.claims(json.loads(run.out))), (1, {"waits_are_not_too_short"}), run)
        run = watch("curl_retry", "--param", "retry=2", "--runs", "2", program=curl)
        self.assertEqual((run.code, self.claims(json.loads(run.out))), (1, {"retries_are_limited"}), run)

    def test_time_can_pass_faster(self) -> None:
        curl = [shutil.which("curl") or "curl", "-s", "--retry", "4", "{url}"]
        run = watch("curl_retry", "--param", "retry=4", "--runs", "4", "--faster", "10", program=curl)
        self.assert_right(run)
        seen = [row["seen_ms"][0] for row in json.loads(run.out)["retries"]]
        self.assertEqual([round(math.log2(ms / 1000)) for ms in seen], [0, 1, 2, 3])
        run = watch("curl_retry", "--param", "retry=4", "--runs", "2", "--faster", "10",
                    program=[*curl[:2], "--retry-delay", "1", *curl[2:]])
        self.assertEqual((run.code, self.claims(json.loads(run.out))), (1, {"waits_are_not_too_short"}), run)

    def test_wget(self) -> None:
        wget = [shutil.which("wget") or "wget", "-q", "-O", "/dev/null", "--retry-on-http-error=503", "--waitretry=2"]
        self.right_and_wrong("wget_waitretry", ["--param", "tries=4", "--runs", "4", "--faster", "4"],
                             [*wget, "--tries=4", "{url}"], "waitretry=2", "waitretry=3", "waits_are_not_too_short")

    def test_urllib3(self) -> None:
        self.right_and_wrong("urllib3_retry", ["--param", "total=4", "--runs", "6"], [sys.executable, "-c", URLLIB3, "{url}"],
                             "backoff_factor=0.2", "backoff_factor=0.4", "waits_are_not_too_short")

    def test_botocore(self) -> None:
        self.right_and_wrong("aws_sdk_standard_retry", ["--runs", "4", "--faster", "5"], [sys.executable, "-c", BOTOCORE, "{url}"],
                             "max_attempts=4", "max_attempts=3", "retries_are_limited")

    def test_requests(self) -> None:
        self.right_and_wrong("urllib3_retry", ["--param", "backoff_factor=0.2", "--runs", "4"],
                             [sys.executable, "-c", REQUESTS, "{url}"], "total=3", "total=2", "retries_are_limited")

    def test_grpc(self) -> None:
        self.right_and_wrong("grpc_connection_backoff", ["--param", "cap=1000", "--fail", "close", "--max-attempts", "5", "--runs", "6"],
                             [sys.executable, "-c", GRPC, "{target}"], "initial=100", "initial=200", "waits_are_not_too_short")

    def test_paho(self) -> None:
        self.right_and_wrong("paho_mqtt_reconnect", ["--fail", "close", "--max-attempts", "4", "--runs", "4", "--faster", "5"],
                             [sys.executable, "-c", PAHO, "{host}", "{port}"], "max_retry_interval=2", "max_retry_interval=4",
                             "waits_are_not_too_short")

    def test_a_connection_that_is_closed_reset_or_left_to_hang(self) -> None:
        program = [sys.executable, "-c", STEADY, "{port}"]
        (self.folder / "steady.yaml").write_text("name: steady\nunit: ms\ndocument: d\ndelay: 300\n")
        for failure in ("close", "reset", "hang", "bytes:9", "reset,close"):
            with self.subTest(failure):
                run = watch(str(self.folder / "steady.yaml"), "--runs", "2", "--fail", failure, program=program)
                self.assert_right(run)
                self.assertEqual(json.loads(run.out)["waits"], 6)

    def test_results_are_judged_again(self) -> None:
        program = [sys.executable, str(self.folder / "client.py"), "{port}", "at-once"]
        one, two, junit, page = (str(self.folder / name) for name in ("one", "two", "junit.xml", "page.html"))
        words = [self.policy, "--runs", "2", "--results"]
        run = watched(*words, one, "--junit", junit, program=program)
        again = running.oracle("report", "--policy", self.policy, one)
        self.assertEqual((again.code, again.out), (1, run.out))
        suite = xml.etree.ElementTree.parse(junit).getroot()[0]
        self.assertEqual([case.get("name") for case in suite if case.find("failure") is not None], ["waits_are_not_too_short"])
        self.assertEqual(len(suite), 7)
        watched(*words, two, program=program)
        both = json.loads(running.oracle("report", "--policy", self.policy, "--format", "json", one, two).out)
        each = [json.loads(running.oracle("report", "--policy", self.policy, "--format", "json", path).out) for path in (one, two)]
        self.assertEqual((both["runs"], both["waits"]), (4, sum(part["waits"] for part in each)))
        self.assertEqual(both["retries"][0]["too_short"], sum(part["retries"][0]["too_short"] for part in each))
        self.assertGreater(both["waits"], 0)
        paged = running.oracle("report", "--policy", self.policy, "-q", "-o", page, one, two)
        self.assertEqual((paged.code, paged.last), (1, f"{sys.executable}: does not conform: waits_are_not_too_short"))
        self.assertIn("<code>waits_are_not_too_short</code>", pathlib.Path(page).read_text().replace("<wbr>", ""))
        (self.folder / "half").write_text(pathlib.Path(one).read_text()[:500])
        (self.folder / "other").write_text('{"results":1}')
        written = pathlib.Path(one).read_text()
        self.assertIn(f'"version":"{running.VERSION}"', written)
        for version in ("0.1.0", "0.0.9"):
            (self.folder / version).write_text(written.replace(f'"version":"{running.VERSION}"', f'"version":"{version}"'))
        self.assertEqual(running.oracle("report", "--policy", self.policy, "0.1.0", cwd=self.folder).code, 1)
        watched(*words[:-1], "--param", "base=100", "--results", str(self.folder / "base"), program=program)
        for files, said in (([one, one], "the same runs as"), ([one, "half"], "expected a file of `watch --results`"),
                            (["0.0.9"], "written by version '0.0.9' of the tool: expected 0.1.0 or "),
                            ([one, "other"], "is of `watch`"), ([one, "base"], "of another program, document or setting"),
                            ([one, "--format", "markdown"], "expected human or json"),
                            ([one, "--certificate", "c"], "results of `watch` have none")):
            with self.subTest(files):
                run = running.oracle("report", "--policy", self.policy, *files, cwd=self.folder)
                self.assertEqual((run.code, said in run.err), (2, True), run)
        self.assertIn("expected --policy FILE", running.oracle("report", one, cwd=self.folder).err)

    def test_what_is_known_to_fail_does_not_fail_the_program(self) -> None:
        known = self.folder / "known"
        (self.folder / "long.yaml").write_text("name: long\nunit: ms\ndocument: d\ndelay: 600\nattempts: 3\n")
        program = [sys.executable, "-c", STEADY, "{port}"]
        for lines, code, said in (("waits_are_not_too_short * # 1", 0, "conforms, but for what is known to fail"),
                                  ("waits_are_not_too_short retry=1 # 1", 1, "waits_are_not_too_short"),
                                  ("waits_are_not_too_short * # 1\nretries_are_made * # 2", 1, "nothing failed there: retries_are_made"),
                                  ("waits_are_not_too_short * # 1\nretries_are_made * sometimes # 2", 0, "but for what is known"),
                                  ("no_call_fails * # 1", 2, "known:1: 'no_call_fails' is not a claim of watch"),
                                  ("retries_are_made calls>1 # 1", 2, "known:1: pattern 'calls>1': expected * or retry=N"),
                                  ("retries_are_made *", 2, "known:1: expected '# reason or link'")):
            with self.subTest(lines):
                known.write_text(lines + "\n")
                run = watched(str(self.folder / "long.yaml"), "--runs", "2", "--fail", "close", "--known-failing", str(known),
                              program=program)
                self.assertEqual((run.code, said in run.last + run.err), (code, True), run)

    def test_what_wrong_waits_have_in_common_is_said(self) -> None:
        (self.folder / "doubled.yaml").write_text("name: doubled\nunit: ms\ndocument: d\ndelay: 600 * 2^n\n")
        program = [sys.executable, "-c", STEADY, "{port}"]
        run = watched(str(self.folder / "doubled.yaml"), "--runs", "2", "--fail", "close", program=program)
        self.assertRegex(run.out, r"in common   each wait is about 3\d\d ms: they do not grow")

    def test_what_is_wrong_is_said(self) -> None:
        program = ["/bin/true", "{url}"]
        for words, code, said in (
                (["my_client.yaml", "--fail", "99"], 2, "--fail: '99': expected a status"),
                (["my_client.yaml", "--param", "bse=1"], 2, "--param bse=1: expected NAME=VALUE with NAME one of: base, cap, tries"),
                (["my_client.yaml", "--param", "base=0"], 2, "--param base=0: "),
                (["my_client.yaml", "--param", "base=1", "--param", "base=2"], 2, "--param base is given twice"),
                (["aws_retry_utils"], 2, "--param "),
                (["azure_c_retry_control"], 2, "there is nothing to watch"),
                (["my_client.yaml"], 3, "the program made no attempt: it ended with status 0")):
            with self.subTest(words):
                run = running.oracle("watch", *words, port=program, cwd=self.folder)
                self.assertEqual(run.code, code, run)
                self.assertIn(said, run.err)
        run = running.oracle("watch", "my_client.yaml", port=["/bin/true"], cwd=self.folder)
        self.assertEqual(run.code, 2)
        self.assertIn("expected {url}, {target}, {host} or {port}", run.err)
        run = running.oracle("watch", "my_client.yaml", port=["curl", "-sk", "https://{target}"], cwd=self.folder)
        self.assertEqual((run.code, "the program speaks TLS" in run.err), (3, True), run)
        run = running.oracle("watch", "my_client.yaml", port=["./missing", "{url}"], cwd=self.folder)
        self.assertEqual(run.code, 3)
        self.assertIn("./missing", run.err)

    def test_the_text_says_what_was_seen(self) -> None:
        program = [sys.executable, str(self.folder / "client.py"), "{port}", "at-once"]
        run = watched(self.policy, "--runs", "2", program=program)
        self.assertEqual(run.code, 1)
        self.assertIn("document    my_client, base=200 cap=1000 tries=4\n", run.out)
        self.assertIn("answered with 503: 10 attempts, 8 waits judged", run.out)
        self.assertIn("waits_are_not_too_short: retry 1, 2 of 2 waits\n", run.out)
        self.assertRegex(run.last, "^verdict: does not conform: waits_are_not_too_short")


if __name__ == "__main__":
    running.main(__doc__)
