// apimachinery's wait.Backoff as a port: Step. Its Steps, in which the duration may change, are more than any history has. It draws by
// itself. A reset is a Backoff made anew.
package main

import (
	"fmt"
	"time"

	. "github.com/backoff-oracle/backoff-oracle/properties/ports/helpers/go"
	"k8s.io/apimachinery/pkg/util/wait"
)

func number(text any) (value float64) {
	fmt.Sscan(text.(string), &value) // the oracle writes no other numbers
	return
}

func port(params Fields, _ []any) Instance {
	fresh := wait.Backoff{Duration: time.Duration(number(params["duration"])), Factor: number(params["factor"]),
		Jitter: number(params["jitter"]), Steps: 1 << 30, Cap: time.Duration(number(params["cap"]))}
	backoff := fresh
	return func(step Fields) Fields {
		if step["op"] == "reset" {
			backoff = fresh
			return Fields{"status": "ok"}
		}
		return Fields{"status": "retry", "delay_ns": int64(backoff.Step())}
	}
}

func main() {
	Serve(Fields{"protocol": 1, "port": Fields{"name": "apimachinery wait.Backoff", "version": "0.26.15", "language": "Go"},
		"systems": []string{"kubernetes_wait_backoff"}, "draws": "opaque", "max_batch": 256, "features": []string{"instances"}}, port)
}
