// A port of backoffAlgorithm that the oracle can judge. Replace window and draw % … with your code.
package main

import (
	. "github.com/backoff-oracle/backoff-oracle/properties/ports/helpers/go"
	"strconv"
)

func number(text any) uint64 {
	value, err := strconv.ParseUint(text.(string), 10, 64)
	if err != nil {
		panic(err)
	}
	return value
}

func port(params Fields, _ []any) Instance {
	base, max, attempts := number(params["base_ms"]), number(params["max_ms"]), uint64(0)
	return func(step Fields) Fields {
		if step["op"] == "reset" {
			attempts = 0
			return Fields{"status": "ok"}
		}
		if params["max_attempts"] != "forever" && attempts >= number(params["max_attempts"]) {
			return Fields{"status": "exhausted"}
		}
		window := base
		for i := uint64(0); i < attempts && window < max; i++ {
			window *= 2
		}
		if window > max {
			window = max
		}
		attempts++
		return Fields{"status": "retry", "delay_ms": number(step["draw"]) % (window + 1)}
	}
}

func main() {
	Serve(Fields{"port": Fields{"name": "example", "version": "1", "language": "Go"},
		"systems": []string{"aws_backoff_algorithm"}, "features": []string{"instances"}}, port)
}
