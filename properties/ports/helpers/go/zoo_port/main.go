// Right ports of three documents as people write them in Go: zoo SYSTEM STYLE.
package main

import (
	. "github.com/backoff-oracle/backoff-oracle/properties/ports/helpers/go"
	"math/big"
	"math/bits"
	"os"
	"strconv"
	"time"
)

func number(text any) uint64 {
	value, err := strconv.ParseUint(text.(string), 10, 64)
	if err != nil {
		panic(err)
	}
	return value
}

// As far as the highest bit allows.
func shifts(params Fields, _ []any) Instance {
	base, max, attempts := number(params["base_ms"]), number(params["max_ms"]), uint64(0)
	return func(step Fields) Fields {
		if step["op"] == "reset" {
			attempts = 0
			return Fields{"status": "ok"}
		}
		if params["max_attempts"] != "forever" && attempts >= number(params["max_attempts"]) {
			return Fields{"status": "exhausted"}
		}
		window := max
		if base == 0 {
			window = 0
		} else if attempts <= uint64(bits.LeadingZeros64(base)) && base<<attempts < max {
			window = base << attempts
		}
		attempts++
		return Fields{"status": "retry", "delay_ms": number(step["draw"]) % (window + 1)}
	}
}

// Numbers without an end, kept no larger than the cap.
func bigNumbers(params Fields, _ []any) Instance {
	first, second := number(params["initial_backoff_s"]), number(params["max_backoff_s"])
	top := new(big.Int).SetUint64(second)
	window, done := new(big.Int), uint64(0)
	capped := func() {
		if window.Cmp(top) > 0 {
			window.Set(top)
		}
	}
	return func(step Fields) Fields {
		draw := new(big.Int).SetUint64(number(step["draw"]))
		if step["op"] == "reset" {
			draw.Mod(draw, new(big.Int).SetUint64(number(params["max_jitter_s"])+1))
			window.Add(new(big.Int).SetUint64(first), draw)
			capped()
			done = 0
			return Fields{"status": "ok"}
		}
		if limit := number(params["max_attempts"]); limit != 0 && done >= limit {
			return Fields{"status": "exhausted"}
		}
		slept := new(big.Int).Mod(draw, new(big.Int).Add(window, big.NewInt(1)))
		window.Lsh(window, 1)
		capped()
		done++
		return Fields{"status": "retry", "slept_s": slept.String()}
	}
}

// A time.Duration, whole nanoseconds: multiplied by thousandths in 128 bits, and never more than it holds.
func durations(params Fields, _ []any) Instance {
	rate, err := strconv.ParseFloat(params["backoff_rate"].(string), 64)
	if err != nil {
		panic(err)
	}
	thousandths := uint64(rate*1000 + 0.5)
	delay, left := time.Duration(number(params["interval_s"]))*time.Second, number(params["max_attempts"])
	return func(Fields) Fields {
		if left == 0 {
			return Fields{"status": "exhausted"}
		}
		left--
		now := delay
		high, low := bits.Mul64(uint64(delay), thousandths)
		delay = 1<<63 - 1
		if high < 1000 {
			if grown, _ := bits.Div64(high, low, 1000); grown < 1<<63 {
				delay = time.Duration(grown)
			}
		}
		return Fields{"status": "retry", "delay_s": strconv.FormatInt(int64(now), 10) + "e-9"}
	}
}

func main() {
	styles := map[string]func(Fields, []any) Instance{"aws_backoff_algorithm shifts": shifts,
		"aws_retry_utils bigNumbers": bigNumbers, "aws_step_functions durations": durations}
	Serve(Fields{"protocol": 1, "port": Fields{"name": os.Args[2], "version": "1", "language": "Go"},
		"systems": []string{os.Args[1]}, "max_batch": 256, "features": []string{"instances"}}, styles[os.Args[1]+" "+os.Args[2]])
}
