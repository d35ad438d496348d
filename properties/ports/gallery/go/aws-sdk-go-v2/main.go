// aws-sdk-go-v2's standard retryer as a port: RetryDelay of a retryer made with a longest back-off, asked with the number of the
// attempt that failed, the first being 1. It draws by itself. Its documentation has no formula and no base; base_ms is what its
// first window is, two seconds. Its MaxAttempts counts the first request too. A client ends when its quota of retries is spent:
// how many GetRetryToken grants is asked first, and no history has more. A reset is the next operation, of a client made anew.
package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	. "github.com/backoff-oracle/backoff-oracle/properties/ports/helpers/go"
)

func number(text any) (value int64) {
	fmt.Sscan(text.(string), &value) // the oracle writes no other numbers
	return
}

var why = errors.New("gallery")

func granted() (count int64) {
	for retryer := retry.NewStandard(); ; count++ {
		if _, err := retryer.GetRetryToken(context.Background(), why); err != nil {
			return
		}
	}
}

func port(params Fields, _ []any) Instance {
	retryer := retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxBackoff = time.Duration(number(params["max_ms"])) * time.Millisecond
		o.MaxAttempts = int(number(params["max_attempts"])) + 1
	})
	attempt := 0
	return func(step Fields) Fields {
		if step["op"] == "reset" {
			attempt = 0
			return Fields{"status": "ok"}
		}
		if attempt++; attempt >= retryer.MaxAttempts() {
			return Fields{"status": "exhausted"}
		}
		if delay, err := retryer.RetryDelay(attempt, why); err == nil {
			return Fields{"status": "retry", "delay_ms": float64(delay) / float64(time.Millisecond)}
		}
		panic("no delay")
	}
}

func main() {
	Serve(Fields{"protocol": 1, "port": Fields{"name": "aws-sdk-go-v2 Standard", "version": aws.SDKVersion, "language": "Go"},
		"systems": []string{"aws_backoff_algorithm"}, "draws": "opaque", "max_batch": 256,
		"features": []string{"instances", "fresh_process"}, "ranges": Fields{"base_ms": []string{"2000", "2000"},
			"max_ms": []string{"0", "4294967295"}, "max_attempts": Fields{"range": []string{"0", fmt.Sprint(granted())}, "forever": false}}}, port)
}
