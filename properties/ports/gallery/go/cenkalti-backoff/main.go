// cenkalti/backoff's ExponentialBackOff as a port: NextBackOff, and Reset. Its limit of total time is off, as its documentation says
// how. It draws by itself.
package main

import (
	"fmt"
	"time"

	. "github.com/backoff-oracle/backoff-oracle/properties/ports/helpers/go"
	"github.com/cenkalti/backoff/v4"
)

func number(text any) (value float64) {
	fmt.Sscan(text.(string), &value) // the oracle writes no other numbers
	return
}

func port(params Fields, _ []any) Instance {
	policy := backoff.NewExponentialBackOff(backoff.WithInitialInterval(time.Duration(number(params["initial_interval"]))),
		backoff.WithMaxInterval(time.Duration(number(params["max_interval"]))), backoff.WithMultiplier(number(params["multiplier"])),
		backoff.WithRandomizationFactor(number(params["randomization_factor"])), backoff.WithMaxElapsedTime(0))
	return func(step Fields) Fields {
		if step["op"] == "reset" {
			policy.Reset()
			return Fields{"status": "ok"}
		}
		return Fields{"status": "retry", "delay_ns": int64(policy.NextBackOff())}
	}
}

func main() {
	Serve(Fields{"protocol": 1, "port": Fields{"name": "cenkalti/backoff ExponentialBackOff", "version": "4.3.0", "language": "Go"},
		"systems": []string{"cenkalti_backoff"}, "draws": "opaque", "max_batch": 256, "features": []string{"instances"}}, port)
}
