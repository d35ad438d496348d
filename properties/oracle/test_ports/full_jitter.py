"""A correct port of backoffAlgorithm v1.3.0 in plain steps, of which the ports beside it replace parts."""
import json
import sys


class Cycle:
    """One instance: full jitter over a window that doubles from base_ms up to max_ms."""

    def __init__(self, params):
        self.base, self.cap = int(params["base_ms"]), int(params["max_ms"])
        self.limit = None if params["max_attempts"] == "forever" else int(params["max_attempts"])
        self.granted = 0

    def window(self):
        return min(self.base << min(self.granted, 40), self.cap)

    def delay(self, step):
        return int(step["draw"]) % (self.window() + 1)

    def written(self, delay):
        return str(delay)

    def next(self, step):
        if self.limit is not None and self.granted >= self.limit:
            return {"status": "exhausted"}
        answer = {"status": "retry", "delay_ms": self.written(self.delay(step))}
        self.granted += 1
        return answer

    def reset(self, _step):
        self.granted = 0
        return {"status": "ok"}


class Port:
    """Answers line by line: start with `about`, each case with `result`."""

    about = {}
    cycle = Cycle

    def start(self, _request):
        return {"protocol": 1, "port": {"name": "test port", "version": "1", "language": "Python"},
                "systems": ["aws_backoff_algorithm"], "max_batch": 64, **self.about}

    def steps(self, case):
        cycle = self.cycle(case["params"])
        return [getattr(cycle, step["op"])(step) for step in case["steps"]]

    def result(self, case):
        return {"steps": self.steps(case)}

    def run(self, request):
        return {"id": request["id"], "results": [self.result(case) for case in request["cases"]]}

    def write(self, reply):
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()

    def stop(self):
        pass

    def serve(self):
        for self.line in sys.stdin:
            request = json.loads(self.line)
            if request["cmd"] == "stop":
                break
            self.write(self.start(request) if request["cmd"] == "start" else self.run(request))
        self.stop()


def main(ports):
    """Serves the port that the first argument names; the others mean nothing and mark the process for the test."""
    ports[sys.argv[1]]().serve()
