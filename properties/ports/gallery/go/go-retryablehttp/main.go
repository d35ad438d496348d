// go-retryablehttp's LinearJitterBackoff as a port: a function of the least and the largest step and of the number of the retry, which a
// client calls with 0 first. It draws by itself. A reset is the next request.
package main

import (
	"fmt"
	"time"

	. "github.com/backoff-oracle/backoff-oracle/properties/ports/helpers/go"
	"github.com/hashicorp/go-retryablehttp"
)

func number(text any) (value float64) {
	fmt.Sscan(text.(string), &value) // the oracle writes no other numbers
	return
}

func port(params Fields, _ []any) Instance {
	attempt, low, high := -1, time.Duration(number(params["low"])), time.Duration(number(params["high"]))
	return func(step Fields) Fields {
		if step["op"] == "reset" {
			attempt = -1
			return Fields{"status": "ok"}
		}
		attempt++
		return Fields{"status": "retry", "delay_ns": int64(retryablehttp.LinearJitterBackoff(low, high, attempt, nil))}
	}
}

func main() {
	Serve(Fields{"protocol": 1, "port": Fields{"name": "go-retryablehttp LinearJitterBackoff", "version": "0.7.4", "language": "Go"},
		"systems": []string{"retryablehttp_linear_jitter"}, "draws": "opaque", "max_batch": 256, "features": []string{"instances"}}, port)
}
