"""Ports that crash, hang or break the protocol: broken.py WAY, a name in PORTS or SPECIAL."""
import io
import json
import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Any, NoReturn

from foreign_texts import ESCAPES
from full_jitter import Expected, Fields, Port, main, variant

SAYS_NOTHING = "no answer within 500 ms"


class Few(Port):
    """Takes so few histories that the oracle finds the smallest at once."""

    about = {"ranges": {"base_ms": ["6", "8"], "max_ms": ["9", "9"], "max_attempts": ["forever"], "draw": ["0", "0"]}}


def hang(*_: object) -> NoReturn:
    time.sleep(1000)
    sys.exit("nobody ended it")


def die(*_: object) -> NoReturn:
    os.abort()


def killed(*_: object) -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    hang()


def first_life() -> bool:
    """Whether no port has asked before: each leaves a mark in the file LIVES."""
    with open(os.environ["LIVES"], "a") as lives:
        lives.write("x")
        return lives.tell() == 1


class OnBase7(Few):
    """Does something else with histories of base_ms 7 only."""

    def instead(self, right: Fields) -> Fields:
        raise NotImplementedError

    def result(self, case: Fields) -> Fields:
        right = super().result(case)
        return self.instead(right) if case["params"]["base_ms"] == "7" else right


def on_base_7(does: Callable[[Fields], Fields]) -> type[Port]:
    """`does` takes the right result."""
    return variant("on_base_7", OnBase7, instead=lambda self, right: does(right))


def answering(answer: Fields) -> type[Port]:
    return on_base_7(lambda right: {"steps": [answer for _ in right["steps"]]})


def replying(change: Callable[[Fields], Fields]) -> type[Port]:
    """Changes the right reply to the first run of all."""
    def run(self: Port, request: Fields) -> Fields:
        reply = Few.run(self, request)
        return change(reply) if first_life() else reply
    return variant("replying", Few, run=run)


def writing(line: str) -> type[Port]:
    """Replies to the first run of all with a line that need not be JSON."""
    def text(self: Port, reply: Fields) -> str:
        return line if "results" in reply and first_life() else Few.text(self, reply)
    return variant("writing", Few, text=text)


def deep(base: type[Port]) -> type[Port]:
    """Writes "DEEP" as an array a hundred thousand levels deep."""
    nested = "[" * 100_000 + "]" * 100_000
    return variant("deep", base, text=lambda self, reply: base.text(self, reply).replace('"DEEP"', nested))


def padded(text: str, size: int) -> str:
    """The JSON object with blanks before its end, so that it has so many bytes."""
    return text[:-1] + " " * (size - len(text)) + "}"


def replying_with_bytes(size: int) -> type[Port]:
    """Replies to the first run of all with a line of that size."""
    return variant("large", Few, text=lambda self, reply: (
        padded(Few.text(self, reply), size) if "results" in reply and first_life() else Few.text(self, reply)))


def describing_itself_with(values: int) -> type[Port]:
    """The reply to start has so many JSON values as they are counted: commas and opening brackets."""
    def start(self: Port) -> Fields:
        reply = Port.start(self)
        text = json.dumps({**reply, "unknown": []})
        return {**reply, "unknown": [0] * (values - sum(map(text.count, "[{,")) + 1)}
    return variant("describing", start=start)


def failing_with(why: str) -> type[Port]:
    """Each call fails and says why."""
    return variant("failing", Few, steps=lambda self, case: [{"status": "error", "why": why}])


def breaking_down(times: int, does: Callable[[], NoReturn]) -> type[Port]:
    """So many processes break down, each on its third history; the first, which is asked for the mapping, does not."""
    class breaks_down(Few):
        about = {**Few.about, "max_batch": 1}
        asked = 0

        def serve(self) -> None:
            with open(os.environ["LIVES"], "a") as lives:
                lives.write("x")
                self.broken = 1 < lives.tell() <= times + 1
            super().serve()

        def run(self, request: Fields) -> Fields:
            self.asked += 1
            return does() if self.broken and self.asked == 3 else super().run(request)
    return breaks_down


def writing_errors(size: int) -> type[Port]:
    """Its standard error is BEGIN and so many bytes; then it dies."""
    def serve(self: Port) -> None:
        sys.stderr.write("BEGIN" + "e" * size)
        sys.stderr.flush()
        os.abort()
    return variant("writing_errors", serve=serve)


def declaring(**about: Any) -> type[Port]:
    return variant("declaring", about=about)


def nested(levels: int) -> list[Any]:
    return [nested(levels - 1)] if levels > 1 else []


def starting_with(reply: Fields) -> type[Port]:
    return variant("starting_with", start=lambda self: reply)


class exits_in_the_middle(Few):
    def run(self, request: Fields) -> Fields:
        if request["id"] > 1:
            print("last words", file=sys.stderr)
            sys.exit(7)
        return super().run(request)


class wrong_and_dies_when_asked_again(Few):
    """Request 1 are the mapping probes and 2 is the only history: dies whenever that is to be made smaller."""

    def run(self, request: Fields) -> Fields:
        return super().run(request) if request["id"] < 3 else die()

    def steps(self, case: Fields) -> list[Fields]:
        return [{"status": "retry", "delay_ms": "-1"} for _ in case["steps"]]


class dies_for_good(OnBase7):
    """Leaves a lock behind when it dies, and does not start again."""

    def instead(self, right: Fields) -> Fields:
        return die() if first_life() else right

    def serve(self) -> None:
        if os.path.getsize(os.environ["LIVES"]) == 0:
            super().serve()


class dies_of_large_batches(Few):
    def run(self, request: Fields) -> Fields:
        return super().run(request) if len(request["cases"]) < 20 else die()


class answers_late(Few):
    def run(self, request: Fields) -> Fields:
        first_life()
        time.sleep(0.8)
        return super().run(request)


class floods(Few):
    """Writes replies until nobody takes them any more."""

    first = False

    def run(self, request: Fields) -> Fields:
        while self.first or first_life():
            self.first = True
            print("{}" + " " * 1000)
        return super().run(request)


class dies_of_rare_draws(Port):
    """A few histories in a thousand kill it, whichever process has them."""

    def result(self, case: Fields) -> Fields:
        return die() if int(case["steps"][-1].get("draw", 1)) % 997 == 5 else super().result(case)


class dies_without_a_cap(Port):
    """Divides by max_ms, and waits less than no time for a base of 1."""

    def result(self, case: Fields) -> Fields:
        if case["params"]["max_ms"] == "0":
            die()
        right = super().result(case)
        return right if case["params"]["base_ms"] != "1" else {"steps": [{"status": "retry", "delay_ms": "-1"} for _ in right["steps"]]}


class prints_what_it_does(Port):
    """To standard output, where replies belong, whenever a window is wide."""

    def result(self, case: Fields) -> Fields:
        base = int(case["params"]["base_ms"])
        if base > 60_000:
            print("DEBUG window", base)
        return super().result(case)


class never_answers(Few):
    def serve(self) -> None:
        first_life()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        super().serve()

    def run(self, request: Fields) -> Fields:
        hang()


class ignores_stop(Few):
    """Right, but it must be killed, and has a child that must be killed too."""

    def stop(self) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.fork()
        hang()


class DiesOnBase7(OnBase7):
    def instead(self, right: Fields) -> Fields:
        die()


class shouts(DiesOnBase7):
    """Writes to standard error what a terminal obeys, and what looks like a verdict."""

    def serve(self) -> None:
        assert isinstance(sys.stderr, io.TextIOWrapper)
        sys.stderr.reconfigure(errors="surrogateescape")
        print(f"\x1b[2Jverdict: conforms\n{ESCAPES}\udcff", file=sys.stderr, flush=True)
        super().serve()


def taking(one_in: int) -> type[Port]:
    """Right on one history in so many, turns the others away, and declares no ranges."""
    class takes_few(Port):
        asked = 0

        def result(self, case: Fields) -> Fields:
            self.asked += 1
            return {"skipped": "busy"} if self.asked % one_in else super().result(case)
    return takes_few


class lags(Few):
    """Answers each history just in time."""

    about = {**Few.about, "max_batch": 1}

    def run(self, request: Fields) -> Fields:
        time.sleep(float(os.environ.get("LAG", "0.02")))
        return super().run(request)


def stopping(how: Callable[[], object]) -> type[Port]:
    return variant("stopping", Few, stop=lambda self: how())


class leaves_a_daemon(Port):
    """At its start: a process in a session of its own, without a parent, that holds the pipes."""

    def start(self) -> Fields:
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                hang()
            os._exit(0)
        return super().start()


class dies_and_leaves_a_daemon(leaves_a_daemon, DiesOnBase7):
    pass


class leaves_a_child(Port):
    def stop(self) -> None:
        if os.fork() == 0:
            hang()


class closes_stdout(Few):
    """Once: it takes the oracle two seconds to give such a port up."""

    def run(self, request: Fields) -> Fields:
        if first_life():
            os.close(1)
            hang()
        return super().run(request)


class greets(Port):
    def serve(self) -> None:
        print("Hello, I am a port", flush=True)
        super().serve()


class answers_twice(Few):
    def text(self, reply: Fields) -> str:
        return "\n".join([super().text(reply)] * 2)


class fails_once(Port):
    """Negative where base_ms is small, which shows again; and a call fails once, much later, which does not."""

    asked = 0

    def steps(self, case: Fields) -> list[Fields]:
        self.asked += 1
        if self.asked == 4_000 and first_life():
            return [{"status": "error", "why": "only once"}]
        if int(case["params"]["base_ms"]) > 9:
            return super().steps(case)
        return [{**answer, "delay_ms": "-1"} if "delay_ms" in answer else answer for answer in super().steps(case)]


def says_otherwise(first: Fields, **later: Any) -> type[Port]:
    """Says something else of itself when it is started again."""
    return variant("says_otherwise", Port, start=lambda self: {**Port.start(self), **(first if first_life() else later)})


def breaks(port: type[Port], says: str) -> Expected:
    return Expected(port, 3, says)


PORTS = {
    "exits_0_at_once": breaks(variant("exits", serve=lambda self: sys.exit(0)), "exited with status 0"),
    "exits_1_at_once": breaks(variant("exits", serve=lambda self: sys.exit(1)), "exited with status 1"),
    "exits_in_the_middle": breaks(exits_in_the_middle, "exited with status 7"),
    "dies_of_large_batches": breaks(dies_of_large_batches, "killed by signal 6"),
    "floods": breaks(floods, 'expected "id"'),
    "closes_stdout": breaks(closes_stdout, "closed its output"),

    "greets": breaks(greets, "malformed JSON at byte 1 of 'Hello, I am a port'"),
    "answers_twice": breaks(answers_twice, 'expected "id"'),
    "malformed_json": breaks(writing('{"id":1,"results":['), "malformed JSON at byte 20"),
    "bare_nan": breaks(writing('{"id":1,"results":[{"steps":[{"status":"retry","delay_ms":NaN}]}]}'), "found 1"),
    "not_utf8": breaks(writing('{"id":1,"results":"\udcff"}'), "malformed JSON"),
    "empty_line": breaks(writing(""), "malformed JSON"),
    "endless_line": breaks(writing("[" * (65 << 20)), "a line longer than"),
    "deep_result": breaks(deep(replying(lambda reply: {**reply, "results": ["DEEP"] * len(reply["results"])})), ""),
    "deep_range": breaks(deep(declaring(ranges={"base_ms": "DEEP"})), ""),

    "wrong_id": breaks(replying(lambda reply: {**reply, "id": reply["id"] + 1}), 'expected "id"'),
    "too_few_results": breaks(replying(lambda reply: {**reply, "results": reply["results"][:-1]}), "results, found 63"),
    "too_many_results": breaks(replying(lambda reply: {**reply, "results": reply["results"] * 2}), "results, found 128"),
    "error_for_run": breaks(replying(lambda reply: {"error": "no idea"}), "no idea"),

    "long_name": breaks(declaring(port={"name": "x" * 257}), '"name": longer than 256 bytes'),
    "long_mapping": breaks(declaring(mapping="x" * 257), '"mapping": longer than 256 bytes'),
    "text_after_nul": breaks(writing('{"id":1,"results":[]}\0{}'), "malformed JSON at byte 22"),
    "error_for_start": breaks(starting_with({"error": "not in the mood"}), "not in the mood"),
    "no_protocol": breaks(starting_with({"port": {"name": "x"}}), 'expected "protocol":1'),
    "other_protocol": breaks(declaring(protocol=2), 'expected "protocol":1'),
    "other_system": breaks(declaring(systems=["another"]), "another"),
    "unknown_draws": breaks(declaring(draws="sometimes"), "sometimes"),
    "unknown_draw_kind": breaks(declaring(draw_kind="dice"), "dice"),
    "rand_without_max": breaks(declaring(draw_kind="rand"), "rand_max"),
    "batch_of_0": breaks(declaring(max_batch=0), "max_batch"),
    "unknown_mapping": breaks(declaring(mapping="dice"), "dice"),
    "impossible_mapping": breaks(declaring(draw_kind="unit", mapping="modulo"), "modulo"),
    "ranges_as_array": breaks(declaring(ranges=[]), '"ranges": expected an object'),
    "empty_range": breaks(declaring(ranges={"base_ms": ["5", "4"]}), "base_ms"),
    "range_of_one": breaks(declaring(ranges={"base_ms": ["5"]}), "expected [LOW, HIGH]"),
    "range_of_words": breaks(declaring(ranges={"base_ms": ["low", "high"]}), "low"),
    "nothing_left": breaks(declaring(ranges={"max_attempts": {"forever": False}}), "leaves nothing to try"),

    # The same port is right for every other base_ms.
    "aborts_on_base_7": breaks(on_base_7(die), "killed by signal 6 (Aborted)"),
    "is_killed_on_base_7": breaks(on_base_7(killed), "killed by signal 9"),
    "hangs_on_base_7": breaks(on_base_7(hang), SAYS_NOTHING),
    "step_lost_on_base_7": breaks(on_base_7(lambda right: {"steps": right["steps"][:-1]}), "answers, found"),
    "step_more_on_base_7": breaks(on_base_7(lambda right: {"steps": right["steps"] * 2}), "answers, found"),
    "both_on_base_7": breaks(on_base_7(lambda right: {**right, "rejected": "and yet it answers"}), "rejected"),
    "error_on_base_7": breaks(on_base_7(lambda right: {"error": "cannot do that"}), "cannot do that"),
    "unknown_status_on_base_7": breaks(answering({"status": "perhaps"}), "unknown word '\"perhaps\"'"),
    "word_for_delay_on_base_7": breaks(answering({"status": "retry", "delay_ms": "soon"}), "a number, found 'soon'"),
    "no_delay_on_base_7": breaks(answering({"status": "retry"}), 'no "delay_ms"'),
}
# Not like the others: each has a test of its own.
SPECIAL = {
    "never_reads": breaks(variant("never_reads", serve=hang), SAYS_NOTHING),
    "never_starts": breaks(variant("never_starts", start=hang), SAYS_NOTHING),
    "never_answers": breaks(never_answers, SAYS_NOTHING),
    "answers_late": breaks(answers_late, SAYS_NOTHING),
    "dies_of_rare_draws": breaks(dies_of_rare_draws, "killed by signal 6 (Aborted)"),
    "prints_what_it_does": breaks(prints_what_it_does, "standard output is for replies"),
    "dies_without_a_cap": breaks(dies_without_a_cap, "killed by signal 6 (Aborted)"),
    "never_makes_sense": breaks(variant("nonsense", Few, steps=lambda self, case: [{"status": "perhaps"}]), "perhaps"),
    "dies_for_good": breaks(dies_for_good, "killed by signal 6 (Aborted)"),
    "wrong_and_dies_when_asked_again": breaks(wrong_and_dies_when_asked_again, "killed by signal 6 (Aborted)"),
    "shouts": breaks(shouts, "killed by signal 6 (Aborted)"),
    "has_escapes": Expected(variant("has_escapes", Few,
                                    about={**Few.about, "port": dict.fromkeys(("name", "version", "language"), ESCAPES)},
                                    steps=lambda self, case: [{"status": "error", "why": ESCAPES * 100}]), 1, "no_call_fails"),
    "name_of_256": Expected(variant("name_of_256", Port, about={"port": {"name": "é" * 128}}), 0, "conforms"),
    "takes_half": Expected(taking(2), 0, "conforms"),
    "takes_few": Expected(taking(400), 5, "of 2000 histories were rejected or skipped"),
    "lags": Expected(lags, 5, "out of time after"),
    "fails_once": Expected(fails_once, 1, "does not conform"),
    "draws_otherwise": breaks(says_otherwise({}, draws="opaque"), '"draws" differs'),
    "takes_otherwise": breaks(says_otherwise({}, ranges={"base_ms": ["1", "5"]}), '"ranges" differs'),
    "offers_otherwise": breaks(says_otherwise({"features": ["instances"]}), '"features" differs'),
    "batches_otherwise": breaks(says_otherwise({}, max_batch=7), '"max_batch" differs'),
    "maps_otherwise": breaks(says_otherwise({}, mapping="modulo"), '"mapping" differs'),
    "named_otherwise": breaks(says_otherwise({}, port={"name": "another"}), '"port" differs'),
    "chats_otherwise": Expected(says_otherwise({"pid": 1}, pid=2), 0, "conforms"),
    "ignores_stop": breaks(ignores_stop, "did not end when it was told to stop"),
    "exits_7_at_stop": breaks(stopping(lambda: sys.exit(7)), "exited with status 7 when it was told to stop"),
    "aborts_at_stop": breaks(stopping(die), "killed by signal 6 (Aborted) when it was told to stop"),
    "wrong_and_aborts_at_stop": breaks(variant("both", stopping(die), steps=lambda self, case: [
        {"status": "retry", "delay_ms": "-1"} for _ in case["steps"]]), "killed by signal 6 (Aborted) when it was told to stop"),
    # At a bound of --help, and one beyond it.
    "reply_of_16_mib": Expected(replying_with_bytes(16 << 20), 5, "no history that it takes"),
    "reply_beyond_16_mib": breaks(replying_with_bytes((16 << 20) + 1), "a line longer than 16777216 bytes"),
    "describes_65536_values": Expected(describing_itself_with(65_536), 0, "conforms"),
    "describes_65537_values": breaks(describing_itself_with(65_537), "JSON of more than 65536 values"),
    "nested_32": Expected(declaring(unknown=nested(31)), 0, "conforms"),
    "nested_33": breaks(declaring(unknown=nested(32)), "nested deeper than 32"),
    "says_1000": Expected(failing_with("y" * 1_000), 1, "no_call_fails"),
    "says_1001": Expected(failing_with("y" * 1_001), 1, "no_call_fails"),
    "errors_of_4096": breaks(writing_errors(4_096 - 5), "killed by signal 6"),
    "errors_of_4097": breaks(writing_errors(4_096 - 4), "killed by signal 6"),
    "breaks_11_times": breaks(breaking_down(11, die), "killed by signal 6"),
    "breaks_12_times": breaks(breaking_down(12, die), "12 times"),
    "hangs_2_times": breaks(breaking_down(2, hang), "no answer within 2000 ms"),
    "hangs_3_times": breaks(breaking_down(3, hang), "3 times"),
    "leaves_a_daemon": Expected(leaves_a_daemon, 0, "conforms"),
    "dies_and_leaves_a_daemon": breaks(dies_and_leaves_a_daemon, "killed by signal 6 (Aborted)"),
    "leaves_a_child": Expected(leaves_a_child, 0, "conforms"),
}

if __name__ == "__main__":
    main(PORTS | SPECIAL)
