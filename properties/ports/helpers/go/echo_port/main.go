// What helpers_test.py asks of a helper: says what arrived, and answers numbers of each kind from its own.
package main

import (
	"errors"
	"fmt"
	. "github.com/backoff-oracle/backoff-oracle/properties/ports/helpers/go"
	"math"
	"math/big"
	"strconv"
)

func port(params Fields, steps []any) Instance {
	if why, is := params["reject"]; is {
		panic(Rejected(why.(string)))
	}
	calls := 0
	return func(step Fields) Fields {
		calls++
		text := fmt.Sprint(step["value"])
		switch step["op"] {
		case "integer":
			value, _ := new(big.Int).SetString(text, 10)
			return Fields{"status": "ok", "value": value}
		case "real":
			value, err := strconv.ParseFloat(text, 64)
			if err != nil { // -nan
				value = math.NaN()
			}
			return Fields{"status": "ok", "value": value}
		case "truth":
			return Fields{"status": "ok", "value": step["value"] == true}
		case "fail":
			panic(errors.New(text))
		}
		return Fields{"status": "ok", "calls": calls, "of": len(steps), "step": step, "params": params}
	}
}

func main() {
	Serve(Fields{"port": Fields{"name": "echo", "version": "1", "language": "Go"},
		"systems": []string{"echo", "other"}, "features": []string{"instances"},
		"ranges": Fields{"value": []string{"0", "18446744073709551615"}}}, port)
}
