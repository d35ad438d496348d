// jpillora/backoff's Backoff as a port: Duration, without Jitter, for which its documentation has no formula; and Reset.
package main

import (
	"fmt"
	"time"

	. "github.com/backoff-oracle/backoff-oracle/properties/ports/helpers/go"
	"github.com/jpillora/backoff"
)

func number(text any) (value float64) {
	fmt.Sscan(text.(string), &value) // the oracle writes no other numbers
	return
}

func port(params Fields, _ []any) Instance {
	counter := &backoff.Backoff{Min: time.Duration(number(params["low"])), Max: time.Duration(number(params["high"])),
		Factor: number(params["factor"])}
	return func(step Fields) Fields {
		if step["op"] == "reset" {
			counter.Reset()
			return Fields{"status": "ok"}
		}
		return Fields{"status": "retry", "delay_ns": int64(counter.Duration())}
	}
}

func main() {
	Serve(Fields{"protocol": 1, "port": Fields{"name": "jpillora/backoff Backoff", "version": "1.1.0", "language": "Go"},
		"systems": []string{"jpillora_backoff"}, "max_batch": 256, "features": []string{"instances"}}, port)
}
