// One port of full jitter for each way to map a draw to a delay, with a fault if told so. mappings_test.py lists the ways.
// Usage: mappings ARITHMETIC END SIGN BITS TICKS ROUNDING [FAULT NUMBER]
package main

import (
	"fmt"
	. "github.com/backoff-oracle/backoff-oracle/properties/ports/helpers/go"
	"math"
	"math/bits"
	"os"
	"strconv"
)

func number(text any) uint64 {
	value, err := strconv.ParseUint(text.(string), 10, 64)
	if err != nil {
		panic(err)
	}
	return value
}

func least(a, b uint64) uint64 {
	if a < b {
		return a
	}
	return b
}

var words = append(os.Args[1:], "none", "0")
var arithmetic, end, sign, rounding, fault = words[0], words[1], words[2], words[5], words[6]
var isUnit, ticks, at, width = words[3] == "unit", number(words[4]), number(words[7]), uint64(32)
var largest uint64

func scaled(r, n, size uint64) float64 {
	high, low := bits.Mul64(r, n)
	quotient, rest := bits.Div64(high, low, size)
	if rounding == "rounded" && 2*rest >= size {
		quotient++
	}
	return float64(quotient)
}

func rounded(x float64) float64 {
	switch rounding {
	case "cut":
		return math.Floor(x)
	case "rounded":
		return math.Floor(x + 0.5)
	}
	return x
}

// From a draw to one of n numbers, or to n itself too if the end is closed. All of them are below 2^53.
func mapped(r, n uint64) float64 {
	less := uint64(0)
	if end == "closed" {
		less = 1
	}
	size := largest + 1 - less
	switch arithmetic {
	case "modulo":
		return float64(r % n)
	case "high":
		return float64((r >> (width / 4)) % n)
	case "divided":
		return float64(r / (largest/n + 1))
	case "integers":
		return scaled(r, n, size)
	case "doubles":
		return rounded(float64(r) / float64(size) * float64(n))
	case "floats":
		return rounded(float64(float32(r) / float32(size) * float32(n)))
	}
	kept := number(arithmetic[len("top"):])
	return scaled(r>>(width-kept), n, 1<<kept-less)
}

func delay(draw any, window uint64) any {
	if isUnit {
		draw = draw.(Fields)["num"]
	}
	r := number(draw)
	switch {
	case fault == "first" && r == 0:
		r = at
	case fault == "last" && r == largest:
		r -= at
	case fault == "halved" && window > at:
		window /= 2
	case fault == "longer" && window > at:
		window++
	}
	if window == 0 {
		return 0
	}
	most := window * ticks
	n, top := most, most
	if end == "inclusive" {
		n++
	} else if end == "exclusive" && rounding == "cut" {
		top--
	}
	x := math.Min(mapped(r, n), float64(most))
	if sign == "mirrored" {
		x = math.Max(0, float64(top)-x)
	}
	if fault == "cell" && math.Floor(x/float64(ticks)) == float64(at) {
		x -= float64(ticks)
	}
	if rounding == "none" {
		return x
	}
	return fmt.Sprintf("%.0fe-%d", x, len(words[4])-1)
}

func port(params Fields, _ []any) Instance {
	cap := number(params["max_ms"])
	window := least(number(params["base_ms"]), cap)
	return func(step Fields) Fields {
		mine := window
		window = least(2*window, cap)
		return Fields{"status": "retry", "delay_ms": delay(step["draw"], mine)}
	}
}

func main() {
	about := Fields{"protocol": 1, "port": Fields{"name": "mappings", "version": "1", "language": "Go"}, "max_batch": 256,
		"systems": []string{"aws_backoff_algorithm", "mirrored"},
		"ranges":  Fields{"max_attempts": Fields{"forever": true}, "op": []string{"next"}}}
	if isUnit {
		about["draw_kind"] = "unit"
	} else if width = number(words[3]); width < 32 {
		about["draw_kind"], about["rand_max"] = "rand", uint64(1)<<width-1
	}
	largest = uint64(1)<<width - 1
	Serve(about, port)
}
