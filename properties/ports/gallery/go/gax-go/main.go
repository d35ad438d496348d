// gax-go's Backoff as a port: Pause. It draws by itself. A reset is a Backoff made anew.
package main

import (
	"fmt"
	"time"

	. "github.com/backoff-oracle/backoff-oracle/properties/ports/helpers/go"
	gax "github.com/googleapis/gax-go/v2"
)

func number(text any) (value float64) {
	fmt.Sscan(text.(string), &value) // the oracle writes no other numbers
	return
}

func port(params Fields, _ []any) Instance {
	fresh := gax.Backoff{Initial: time.Duration(number(params["initial"])), Max: time.Duration(number(params["maximum"])),
		Multiplier: number(params["multiplier"])}
	backoff := fresh
	return func(step Fields) Fields {
		if step["op"] == "reset" {
			backoff = fresh
			return Fields{"status": "ok"}
		}
		return Fields{"status": "retry", "delay_ns": int64(backoff.Pause())}
	}
}

func main() {
	Serve(Fields{"protocol": 1, "port": Fields{"name": "gax-go Backoff", "version": "2.7.1", "language": "Go"},
		"systems": []string{"gax_backoff"}, "draws": "opaque", "max_batch": 256, "features": []string{"instances"}}, port)
}
