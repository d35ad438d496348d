// Right ports of the six documents as people write them in Go, each under readings that its document leaves open.
// Usage: zoo SYSTEM PORT [hidden]        Hidden: the port draws for itself. Without arguments: all ports, one a line, and the
// readings that each follows where they are not the canonical ones. zoo_test.py checks them.
package main

import (
	crand "crypto/rand"
	"encoding/binary"
	"fmt"
	. "github.com/backoff-oracle/backoff-oracle/properties/ports/helpers/go"
	"math"
	"math/big"
	"math/bits"
	"math/rand"
	"os"
	"strconv"
	"time"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func number(text any) uint64 { return must(strconv.ParseUint(text.(string), 10, 64)) }
func real(text any) float64  { return must(strconv.ParseFloat(text.(string), 64)) }
func rational(text any) *big.Rat {
	value, _ := new(big.Rat).SetString(text.(string))
	return value
}

func least[T ~uint | ~uint32 | ~uint64 | ~int64](a, b T) T {
	if a < b {
		return a
	}
	return b
}

var exhausted, ok = Fields{"status": "exhausted"}, Fields{"status": "ok"}

// ---- aws_backoff_algorithm ----

// As far as the highest bit allows.
func shifts(params Fields, _ []any) Instance {
	base, max, attempts := number(params["base_ms"]), number(params["max_ms"]), uint64(0)
	return func(step Fields) Fields {
		if step["op"] == "reset" {
			attempts = 0
			return ok
		}
		if params["max_attempts"] != "forever" && attempts >= number(params["max_attempts"]) {
			return exhausted
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

// Windows are durations in a slice made at the start; draws are below them, as those of rand.Int63n, which takes no 0.
func listed(params Fields, _ []any) Instance {
	cap := time.Duration(number(params["max_ms"])) * time.Millisecond
	windows := []time.Duration{time.Duration(number(params["base_ms"])) * time.Millisecond}
	for last := windows[0]; last > 0 && last < cap; last = windows[len(windows)-1] {
		windows = append(windows, last*2)
	}
	at, granted := 0, uint64(0)
	return func(step Fields) Fields {
		if step["op"] == "reset" {
			at, granted = 0, 0
			return ok
		}
		if limit := params["max_attempts"]; limit != "forever" && granted == number(limit) {
			return exhausted
		}
		window, delay := least(windows[at], cap), time.Duration(0)
		if window > 0 {
			delay = time.Duration(number(step["draw"])%uint64(window.Milliseconds())) * time.Millisecond
		}
		granted++
		if at < len(windows)-1 {
			at++
		}
		return Fields{"status": "retry", "delay_ms": delay.Milliseconds()}
	}
}

// Floating point: the attempt at hand is the exponent, and the product with the draw is cut off.
func exponents(params Fields, _ []any) Instance {
	attempt := 0
	return func(step Fields) Fields {
		if step["op"] == "reset" {
			attempt = 0
			return ok
		}
		if limit, err := strconv.Atoi(params["max_attempts"].(string)); err == nil && attempt >= limit {
			return exhausted
		}
		attempt++
		window := math.Min(math.Ldexp(real(params["base_ms"]), attempt), real(params["max_ms"]))
		return Fields{"status": "retry", "delay_ms": math.Floor(real(step["draw"].(Fields)["value"]) * (window + 1))}
	}
}

// ---- aws_retry_utils ----

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
			return ok
		}
		if limit := number(params["max_attempts"]); limit != 0 && done >= limit {
			return exhausted
		}
		slept := new(big.Int).Mod(draw, new(big.Int).Add(window, big.NewInt(1)))
		window.Lsh(window, 1)
		capped()
		done++
		return Fields{"status": "retry", "slept_s": slept.String()}
	}
}

// A structure of 32 bits, which saturates; a reset keeps its draw, and takes place when the window is asked for.
type device struct {
	initial, max, jitter, limit uint32
	draw                        uint64
	stale                       bool
	attemptsDone, nextJitterMax uint32
}

func (d *device) upTo(draw uint64, most uint32) uint32 { return uint32(draw % (uint64(most) + 1)) }
func (d *device) window() uint32 {
	if d.stale {
		sum, carry := bits.Add32(d.initial, d.upTo(d.draw, d.jitter), 0)
		d.nextJitterMax, d.attemptsDone, d.stale = least(sum|-carry, d.max), 0, false
	}
	return d.nextJitterMax
}
func (d *device) sleep(draw uint64) (slept uint32, granted bool) {
	window := d.window()
	if d.limit != 0 && d.attemptsDone == d.limit {
		return 0, false
	}
	d.attemptsDone++
	d.nextJitterMax = d.max
	if window <= d.max-window {
		d.nextJitterMax = window + window
	}
	return d.upTo(draw, window), true
}
func saturating(params Fields, _ []any) Instance {
	u32 := func(name string) uint32 { return uint32(number(params[name])) }
	d := &device{initial: u32("initial_backoff_s"), max: u32("max_backoff_s"), jitter: u32("max_jitter_s"), limit: u32("max_attempts")}
	return func(step Fields) Fields {
		if step["op"] == "reset" {
			d.draw, d.stale = number(step["draw"]), true
			return ok
		}
		if slept, granted := d.sleep(number(step["draw"])); granted {
			return Fields{"status": "retry", "slept_s": slept}
		}
		return exhausted
	}
}

// float64, scaled below the bounds as int(rand.Float64() * n); a closure is the cycle, and makes the next one when it ends.
func cycles(params Fields, _ []any) Instance {
	below := func(step Fields, n float64) float64 { return math.Trunc(real(step["draw"].(Fields)["value"]) * n) }
	cap, limit := real(params["max_backoff_s"]), real(params["max_attempts"])
	var cycle, begin Instance
	begin = func(step Fields) Fields {
		window, done := math.Min(real(params["initial_backoff_s"])+below(step, real(params["max_jitter_s"])), cap), 0.0
		cycle = func(step Fields) Fields {
			if limit > 0 && done >= limit {
				begin(step)
				return exhausted
			}
			slept := below(step, window)
			window, done = math.Min(2*window, cap), done+1
			return Fields{"status": "retry", "slept_s": slept}
		}
		return ok
	}
	return func(step Fields) Fields { return map[any]Instance{"reset": begin, "backoff": cycle}[step["op"]](step) }
}

// ---- aws_step_functions ----

// A time.Duration, whole nanoseconds: multiplied by thousandths in 128 bits, and never more than it holds.
func durations(params Fields, _ []any) Instance {
	thousandths := uint64(real(params["backoff_rate"])*1000 + 0.5)
	delay, left := time.Duration(number(params["interval_s"]))*time.Second, number(params["max_attempts"])
	return func(Fields) Fields {
		if left == 0 {
			return exhausted
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

// The formula, in seconds; the longest is what a duration holds.
func powers(params Fields, _ []any) Instance {
	retry := 0.0
	return func(Fields) Fields {
		if retry >= real(params["max_attempts"]) {
			return exhausted
		}
		seconds := real(params["interval_s"])
		if seconds > 0 {
			seconds = math.Min(seconds*math.Pow(real(params["backoff_rate"]), retry), time.Duration(math.MaxInt64).Seconds())
		}
		retry++
		return Fields{"status": "retry", "delay_s": seconds}
	}
}

// Exact fractions, answered as the nearest millisecond; 136 years are long enough.
func fractions(params Fields, _ []any) Instance {
	delay, rate := rational(params["interval_s"]), rational(params["backoff_rate"])
	longest, left := big.NewRat(math.MaxUint32, 1), number(params["max_attempts"])
	return func(Fields) Fields {
		if left == 0 {
			return exhausted
		}
		left--
		text := delay.FloatString(3) // which rounds halves away from zero
		if delay = new(big.Rat).Mul(delay, rate); delay.Cmp(longest) > 0 {
			delay = longest
		}
		return Fields{"status": "retry", "delay_s": text}
	}
}

// ---- aws_prescriptive_sample ----

func attempts(params Fields, wait func(n uint) int32) Instance {
	made := uint(0)
	return func(step Fields) Fields {
		delay := wait(made)
		made++
		again := map[string]bool{"429": true, "504": true}[step["http_status"].(string)]
		return Fields{"delay_ms": delay, "retry": again && uint64(made) < number(params["max_retries"])}
	}
}
func converted(params Fields, _ []any) Instance {
	return attempts(params, func(n uint) int32 {
		wait := (math.Pow(2, float64(n)) - 1) * 100
		if wait > math.MaxInt32 {
			panic(fmt.Sprint("Convert.ToInt32: ", wait))
		}
		return int32(wait)
	})
}
func shifted(params Fields, _ []any) Instance {
	return attempts(params, func(n uint) int32 { return int32(least((int64(1)<<least(uint64(n), 40)-1)*100, math.MaxInt32)) })
}

// Each wait is found by recursion on the one before.
func recursive(params Fields, _ []any) Instance {
	var wait func(n uint) int32
	wait = func(n uint) int32 {
		if n == 0 {
			return 0
		}
		return int32(least(int64(wait(least(n, 64)-1))*2+100, math.MaxInt32))
	}
	return attempts(params, wait)
}

// ---- azure_c_retry_control ----

const indefinite = -1

// An instance in 64 bits; what people write differently is a field.
type control struct {
	nextWait               func(c *control, rand func() uint64) uint64
	elapsed                func(since, now int64, secs uint64) bool
	resets                 func(c *control)
	policy                 string
	limit, initial, jitter uint64
	count, wait            uint64
	first, last            int64
}

func signed(since, now int64, secs uint64) bool { return now-since >= int64(secs) }
func compared(since, now int64, secs uint64) bool {
	return now >= since && uint64(now)-uint64(since) >= secs
}
func (c *control) clear() { c.count, c.wait, c.first, c.last = 0, 0, indefinite, indefinite }
func (c *control) defaults() {
	c.initial, c.jitter = 5, 5
	if c.policy == "EXPONENTIAL_BACKOFF" || c.policy == "EXPONENTIAL_BACKOFF_WITH_JITTER" {
		c.initial = 1
	}
}
func (c *control) begin() {
	c.clear()
	c.defaults()
}
func (c *control) shouldRetry(getTime func() int64, rand func() uint64) (string, bool) {
	if c.policy == "NONE" {
		return "STOP_RETRYING", true
	}
	if c.first == indefinite {
		if c.first = getTime(); c.first == indefinite {
			return "", false
		}
	}
	if c.count > 0 {
		if c.last == indefinite && c.policy != "IMMEDIATE" {
			return "", false
		}
		now := getTime()
		switch {
		case now == indefinite:
			return "", false
		case c.limit != 0 && c.elapsed(c.first, now, c.limit):
			return "STOP_RETRYING", true
		case c.policy != "IMMEDIATE" && !c.elapsed(c.last, now, c.wait):
			return "RETRY_LATER", true
		}
	}
	c.count++
	if c.policy == "IMMEDIATE" {
		return "RETRY_NOW", true
	}
	if c.last = getTime(); c.last == indefinite {
		return "", false
	}
	c.wait = least(c.nextWait(c, rand), math.MaxUint32)
	return "RETRY_NOW", true
}
func (c *control) set(name string, text any) bool {
	value := number(text)
	switch {
	case name == "initial_wait_time_in_secs" && value >= 1:
		c.initial = value
	case name == "max_jitter_percent" && value <= 100:
		c.jitter = value
	default:
		return false
	}
	return true
}
func (c *control) answer(step Fields) Fields {
	reads, draws := 0, 0
	getTime := func() int64 {
		clock := step["clock"].([]any)
		reads++
		return must(strconv.ParseInt(clock[least(int64(reads), int64(len(clock)))-1].(string), 10, 64))
	}
	rand := func() uint64 {
		draws++
		return number(step["draws"].([]any)[0])
	}
	result := func(ok bool, name string, value any) Fields {
		if !ok {
			return Fields{"result": 1, "clock_reads": reads, "draws_used": draws}
		}
		return Fields{"result": 0, name: value, "clock_reads": reads, "draws_used": draws}
	}
	switch step["op"] {
	case "create":
		c.policy, c.limit = step["policy"].(string), number(step["max_retry_time_s"])
		c.begin()
	case "should_retry":
		action, ok := c.shouldRetry(getTime, rand)
		return result(ok, "action", action)
	case "set_option":
		if saved, is := step["value"].(Fields); is {
			for name, value := range saved {
				if !c.set(name, value) {
					return Fields{"result": 1}
				}
			}
			return Fields{"result": 0}
		}
		return Fields{"result": map[bool]int{false: 1}[c.set(step["name"].(string), step["value"])]}
	case "retrieve_options":
		return Fields{"options": Fields{"initial_wait_time_in_secs": c.initial, "max_jitter_percent": c.jitter}}
	case "is_timeout_reached":
		start := must(strconv.ParseInt(step["start"].(string), 10, 64))
		if start == indefinite {
			return Fields{"result": 1}
		}
		now := getTime()
		return result(now != indefinite, "timed_out", c.elapsed(start, now, number(step["timeout_s"])))
	case "reset":
		c.resets(c)
	}
	return ok
}

// Doubles and adds in loops, and divides products of 128 bits.
func looped(c *control, rand func() uint64) uint64 {
	grown := c.initial
	for i := uint64(1); i < c.count && grown < math.MaxUint32; i++ {
		grown += map[bool]uint64{true: c.initial, false: grown}[c.policy == "LINEAR_BACKOFF"]
	}
	switch c.policy {
	case "INTERVAL":
		return c.initial
	case "RANDOM":
		return c.initial * rand() / math.MaxUint32
	case "EXPONENTIAL_BACKOFF_WITH_JITTER":
		high, low := bits.Mul64(least(grown, math.MaxUint32), 100*math.MaxUint32+c.jitter*rand())
		quotient, _ := bits.Div64(high, low, 100*math.MaxUint32)
		return quotient
	}
	return grown
}

// The formulas as a C programmer types them, by a function for each policy; seconds are cut off by a conversion, or rounded up.
func typed(round func(float64) float64) func(c *control, rand func() uint64) uint64 {
	return func(c *control, rand func() uint64) uint64 {
		initial, doubled := float64(c.initial), math.Pow(2, float64(c.count-1))
		share := func() float64 { return float64(rand()) / math.MaxUint32 }
		wait := map[string]func() float64{
			"INTERVAL":            func() float64 { return initial },
			"LINEAR_BACKOFF":      func() float64 { return initial * float64(c.count) },
			"EXPONENTIAL_BACKOFF": func() float64 { return doubled * initial },
			"EXPONENTIAL_BACKOFF_WITH_JITTER": func() float64 {
				return doubled * initial * (1 + float64(c.jitter)/100*share())
			},
			"RANDOM": func() float64 { return initial * share() },
		}[c.policy]()
		return uint64(math.Min(round(wait), math.MaxUint32))
	}
}
func controls(c control) Port {
	return func(Fields, []any) Instance {
		mine := c
		return mine.answer
	}
}

// ---- azure_java_retry_policy ----

func constant(params Fields, name, byDefault string) string {
	if text, is := params[name]; is {
		return text.(string)
	}
	return byDefault
}

// From a function that computes a delay.
func policy(delay func(c, cmin, cmax, jd, ju string, x int, step Fields) any) Port {
	return func(params Fields, _ []any) Instance {
		c, cmin, cmax := constant(params, "c_ms", "100"), constant(params, "cmin_ms", "100"), constant(params, "cmax_ms", "10000")
		jd, ju := constant(params, "jd", "0.5"), constant(params, "ju", "0.25")
		return func(step Fields) Fields {
			if params["policy"] == "no_retry" || step["retryable"] == false {
				return Fields{"retry": false}
			}
			return Fields{"retry": true, "delay_ms": delay(c, cmin, cmax, jd, ju, int(number(step["retry_count"])), step)}
		}
	}
}

func inFloats(c, cmin, cmax, jd, ju string, x int, step Fields) any {
	low, high := real(c)*(1-real(jd)), real(c)*(1-real(ju))
	random := low + real(step["draw"].(Fields)["value"])*(high-low)
	return math.Min(real(cmin)+(math.Ldexp(1, int(least(int64(x), 500))-1)-1)*random, real(cmax))
}

// Exact, and cut off to what a context waits: whole milliseconds. At a count of 0 it waits what the formula gives.
func inRationals(c, cmin, cmax, jd, ju string, x int, step Fields) any {
	one, share := big.NewRat(1, 1), big.NewRat(int64(number(step["draw"])), 1<<32)
	span := new(big.Rat).Sub(rational(jd), rational(ju))
	random := new(big.Rat).Add(new(big.Rat).Sub(one, rational(jd)), span.Mul(span, share))
	factor := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(least(int64(x), 200))))
	factor.Sub(factor.Quo(factor, big.NewRat(2, 1)), one)
	delay := factor.Mul(factor, random.Mul(random, rational(c)))
	if delay.Add(delay, rational(cmin)); delay.Cmp(rational(cmax)) > 0 {
		delay = rational(cmax)
	}
	return new(big.Int).Quo(delay.Num(), delay.Denom()).String()
}

// rand.Int63n between ends in whole milliseconds, which leaves the upper one out; it saturates in 64 bits.
func inMilliseconds(c, cmin, cmax, jd, ju string, x int, step Fields) any {
	end := func(factor string) uint64 {
		return number(c) * (1000 - uint64(math.Round(1000*real(factor)))) / 1000
	}
	low, high := least(end(jd), end(ju)), end(jd)+end(ju)-least(end(jd), end(ju))
	if high > low {
		low += number(step["draw"]) * (high - low) >> 32
	}
	factor := uint64(1)<<least(uint64(x-1), 63) - 1
	over, added := bits.Mul64(factor, low)
	sum, carry := bits.Add64(added, number(cmin), 0)
	if over+carry > 0 {
		return cmax
	}
	return least(sum, number(cmax))
}

// ---- The zoo ----

type entry struct {
	port    Port
	more    Fields // what it says of itself beyond its name
	follows string // the readings that it follows where they are not canonical
}

var unit, scripted = Fields{"draw_kind": "unit"}, Fields{"features": []string{"instances", "clock_script"}}
var zoo = []struct {
	system string
	ports  map[string]entry
}{
	{"aws_backoff_algorithm", map[string]entry{
		"shifts":    {shifts, nil, ""},
		"listed":    {listed, nil, "upper-bound=exclusive"},
		"exponents": {exponents, unit, "attempt-origin=one, draw-mapping=scaled"}}},
	{"aws_retry_utils", map[string]entry{
		"bigNumbers": {bigNumbers, nil, ""},
		"saturating": {saturating, nil, ""},
		"cycles":     {cycles, unit, "upper-bound=exclusive, jitter-bound=exclusive, exhaustion-state=resets-itself, draw-mapping=scaled, jitter-mapping=scaled"}}},
	{"aws_step_functions", map[string]entry{
		"durations": {durations, nil, "delay-rounding=floor-each-step, rounding-unit=nanosecond"},
		"powers":    {powers, nil, ""},
		"fractions": {fractions, nil, "delay-rounding=nearest"}}},
	{"aws_prescriptive_sample", map[string]entry{
		"converted": {converted, nil, ""},
		"shifted":   {shifted, nil, "overflow=saturates"},
		"recursive": {recursive, nil, "overflow=saturates"}}},
	{"azure_c_retry_control", map[string]entry{
		"looped": {controls(control{nextWait: looped, elapsed: signed, resets: (*control).clear}), nil, ""},
		"typed": {controls(control{nextWait: typed(math.Trunc), elapsed: compared, resets: (*control).clear}), scripted,
			"product-rounding=doubles, difference-overflow=exact"},
		"roundedUp": {controls(control{nextWait: typed(math.Ceil), elapsed: compared, resets: (*control).begin}), scripted,
			"wait-rounding=ceil, product-rounding=doubles, reset-options=defaults, difference-overflow=exact"}}},
	{"azure_java_retry_policy", map[string]entry{
		"inFloats": {policy(inFloats), unit, ""},
		"inRationals": {policy(inRationals), Fields{"ranges": Fields{"retry_count": []string{"0", "2147483647"}}},
			"below-minimum=as-computed, delay-rounding=truncate"},
		"inMilliseconds": {policy(inMilliseconds), nil, "rand-kind=integer-exclusive, draw-mapping=scaled"}}},
}

// The port with draws of its own.
func drawing(port Port, kind any) Port {
	return func(params Fields, steps []any) Instance {
		answer := port(params, steps)
		return func(step Fields) Fields {
			own := Fields{"draw": any(strconv.FormatUint(uint64(rand.Uint32()), 10))}
			if kind == "unit" {
				own["draw"] = Fields{"value": strconv.FormatFloat(rand.Float64(), 'g', -1, 64)}
			}
			own["draws"] = []any{own["draw"]}
			for name, value := range step {
				own[name] = value
			}
			return answer(own)
		}
	}
}

func main() {
	for _, each := range zoo {
		for name, mine := range each.ports {
			if len(os.Args) == 1 {
				fmt.Println(each.system, name, mine.follows)
			} else if os.Args[1] == each.system && os.Args[2] == name {
				about := Fields{"protocol": 1, "port": Fields{"name": name, "version": "1", "language": "Go"}, "systems": []string{each.system},
					"max_batch": 256, "features": []string{"instances"}}
				for field, value := range mine.more {
					about[field] = value
				}
				if len(os.Args) > 3 {
					var seed [8]byte
					must(crand.Read(seed[:]))
					rand.Seed(int64(binary.LittleEndian.Uint64(seed[:])))
					about["draws"], about["features"] = "opaque", append(about["features"].([]string), "fresh_process")
					mine.port = drawing(mine.port, about["draw_kind"])
				}
				Serve(about, mine.port)
			}
		}
	}
}
