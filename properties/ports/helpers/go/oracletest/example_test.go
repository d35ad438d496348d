package oracletest_test

import (
	"fmt"
	"strconv"
	"testing"

	. "github.com/backoff-oracle/backoff-oracle/properties/ports/helpers/go"
	"github.com/backoff-oracle/backoff-oracle/properties/ports/helpers/go/oracletest"
)

func number(text any) uint64 {
	value, err := strconv.ParseUint(text.(string), 10, 64)
	if err != nil {
		panic(err)
	}
	return value
}

// A port of backoffAlgorithm in its shortest form: called for each fresh instance, it returns what answers a step.
func doubling(params Fields, _ []any) Instance {
	window, longest := number(params["base_ms"]), number(params["max_ms"])
	return func(step Fields) Fields {
		if window > longest {
			window = longest
		}
		delay := number(step["draw"]) % (window + 1)
		window *= 2
		return Fields{"status": "retry", "delay_ms": delay}
	}
}

var noLimitNoReset = Fields{"ranges": Fields{"max_attempts": Fields{"forever": true}, "op": []string{"next"}}}

func TestBackoff(t *testing.T) {
	oracletest.Check(t, "aws_backoff_algorithm", doubling, noLimitNoReset)
}

// The program backoff-oracle starts TestBackoff again as the port, and judges it.
func ExampleCheck() {
	_ = func(t *testing.T) { // func TestBackoff(t *testing.T)
		oracletest.Check(t, "aws_backoff_algorithm", doubling, noLimitNoReset)
	}
	answer := doubling(Fields{"base_ms": "100", "max_ms": "5000", "max_attempts": "forever"}, nil)
	fmt.Println(answer(Fields{"op": "next", "draw": "1234"}))
	fmt.Println(answer(Fields{"op": "next", "draw": "1234"}))
	// Output:
	// map[delay_ms:22 status:retry]
	// map[delay_ms:28 status:retry]
}
