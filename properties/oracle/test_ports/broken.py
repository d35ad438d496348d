"""Ports that break the protocol: broken.py WAY, a class below."""
import os
import signal
import sys
import time

from full_jitter import Port, main

SMALL = {"ranges": {"base_ms": ["0", "20"]}}


class exits_0_at_once(Port):
    def serve(self):
        sys.exit(0)


class exits_1_at_once(Port):
    def serve(self):
        sys.exit(1)


class exits_in_the_middle(Port):
    def run(self, request):
        if request["id"] > 2:
            print("last words", file=sys.stderr)
            sys.exit(7)
        return super().run(request)


class aborts_on_base_7(Port):
    about = SMALL

    def steps(self, case):
        if case["params"]["base_ms"] == "7":
            os.abort()
        return super().steps(case)


class aborts_while_shrinking(Port):
    """Wrong at once, and dead as soon as it is asked for smaller histories."""

    def run(self, request):
        if request["id"] > 2:
            os.abort()
        return super().run(request)

    def steps(self, case):
        return [{"status": "retry", "delay_ms": "-1"} for _ in case["steps"]]


class never_starts(Port):
    def start(self, request):
        time.sleep(1000)


class never_answers(Port):
    def run(self, request):
        time.sleep(1000)


class ignores_everything(Port):
    def serve(self):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        super().serve()

    def run(self, request):
        time.sleep(1000)


class does_not_stop(Port):
    """Right, but it must be killed, and has a child that must be killed too."""

    def stop(self):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.fork()
        time.sleep(1000)


class leaves_a_child(Port):
    def stop(self):
        if os.fork() == 0:
            time.sleep(1000)


class closes_stdout(Port):
    def run(self, request):
        os.close(1)
        time.sleep(1000)


class Says(Port):
    """Answers run with something else."""

    def run(self, request):
        return self.instead(super().run(request))


class malformed_json(Port):
    def write(self, reply):
        if "results" in reply:
            sys.stdout.write('{"id":1,"results":[\n')
            sys.stdout.flush()
        else:
            super().write(reply)


class greets(Port):
    def serve(self):
        print("Hello, I am a port", flush=True)
        super().serve()


class answers_twice(Port):
    def write(self, reply):
        super().write(reply)
        super().write(reply)


class wrong_id(Says):
    def instead(self, reply):
        return {**reply, "id": reply["id"] + 1}


class too_few_results(Says):
    def instead(self, reply):
        return {**reply, "results": reply["results"][:-1]}


class too_many_results(Says):
    def instead(self, reply):
        return {**reply, "results": reply["results"] * 2}


class no_results(Says):
    def instead(self, reply):
        return {"id": reply["id"]}


class an_array(Says):
    def instead(self, reply):
        return [reply]


class error_for_run(Says):
    def instead(self, _reply):
        return {"error": "no idea"}


class too_deep(Says):
    def instead(self, reply):
        return {**reply, "results": "DEEP"}

    def write(self, reply):
        import json
        sys.stdout.write(json.dumps(reply).replace('"DEEP"', "[" * 100_000 + "]" * 100_000) + "\n")
        sys.stdout.flush()


class Spoils(Port):
    """Spoils the result of histories with base_ms 7."""

    about = SMALL

    def result(self, case):
        result = super().result(case)
        return self.spoilt(result) if case["params"]["base_ms"] == "7" else result


class one_step_too_few(Spoils):
    def spoilt(self, result):
        return {"steps": result["steps"][:-1]}


class one_step_too_many(Spoils):
    def spoilt(self, result):
        return {"steps": result["steps"] * 2}


class result_is_null(Spoils):
    def spoilt(self, _result):
        return None


class empty_result(Spoils):
    def spoilt(self, _result):
        return {}


class steps_and_rejected(Spoils):
    def spoilt(self, result):
        return {**result, "rejected": "and yet it answers"}


class error_result(Spoils):
    def spoilt(self, _result):
        return {"error": "cannot do that"}


class Rewrites(Spoils):
    """Replaces every answer."""

    def spoilt(self, result):
        return {"steps": [self.answer for _ in result["steps"]]}


class unknown_status(Rewrites):
    answer = {"status": "perhaps"}


class no_status(Rewrites):
    answer = {"delay_ms": "1"}


class word_for_delay(Rewrites):
    answer = {"status": "retry", "delay_ms": "soon"}


class object_for_delay(Rewrites):
    answer = {"status": "retry", "delay_ms": {"ms": 1}}


class no_delay(Rewrites):
    answer = {"status": "retry"}


class answer_is_a_string(Rewrites):
    answer = "retry"


class Begins(Port):
    """Answers start otherwise."""

    def start(self, request):
        return self.reply if hasattr(self, "reply") else super().start(request)


class error_for_start(Begins):
    reply = {"error": "not in the mood"}


class other_protocol(Begins):
    about = {"protocol": 2}


class no_protocol(Begins):
    reply = {"port": {"name": "x"}}


class other_system(Begins):
    about = {"systems": ["azure_c_retry_control"]}


class unknown_draws(Begins):
    about = {"draws": "sometimes"}


class unknown_draw_kind(Begins):
    about = {"draw_kind": "dice"}


class rand_without_max(Begins):
    about = {"draw_kind": "rand"}


class batch_of_0(Begins):
    about = {"max_batch": 0}


class unknown_mapping(Begins):
    about = {"mapping": "moulinette"}


class impossible_mapping(Begins):
    about = {"draw_kind": "unit", "mapping": "modulo"}


class empty_range(Begins):
    about = {"ranges": {"base_ms": ["5", "4"]}}


class range_of_words(Begins):
    about = {"ranges": {"base_ms": ["low", "high"]}}


class range_of_one(Begins):
    about = {"ranges": {"base_ms": ["5"]}}


class ranges_as_array(Begins):
    about = {"ranges": []}


class nothing_left(Begins):
    about = {"ranges": {"max_attempts": {"forever": False}}}


class deep_ranges(Begins):
    about = {"ranges": {"base_ms": "DEEP"}}
    write = too_deep.write


main(globals())
