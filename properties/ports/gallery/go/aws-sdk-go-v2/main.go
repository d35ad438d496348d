// aws-sdk-go-v2's standard retryer as a port: RetryDelay of a retryer made with a longest back-off, asked with the number of the
// attempt that failed, the first being 1. It draws by itself. Its documentation has no formula and no base; base_ms is what its
// first window is, two seconds. Its quota of retries is asked for by GetRetryToken, apart from the delay, and has no place in
// the document.
package main

import (
	. "github.com/backoff-oracle/backoff-oracle/properties/ports/helpers/go"
	"errors"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
)

func number(text any) int64 {
	value, err := strconv.ParseInt(text.(string), 10, 64)
	if err != nil {
		panic(err)
	}
	return value
}

func port(params Fields, _ []any) Instance {
	retryer := retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxBackoff = time.Duration(number(params["max_ms"])) * time.Millisecond
	})
	attempt, why := 0, errors.New("gallery")
	return func(step Fields) Fields {
		if step["op"] == "reset" {
			attempt = 0
			return Fields{"status": "ok"}
		}
		attempt++
		delay, err := retryer.RetryDelay(attempt, why)
		if err != nil {
			panic(err)
		}
		return Fields{"status": "retry", "delay_ms": float64(delay) / float64(time.Millisecond)}
	}
}

func main() {
	Serve(Fields{"protocol": 1, "port": Fields{"name": "aws-sdk-go-v2 Standard", "version": aws.SDKVersion, "language": "Go"},
		"systems": []string{"aws_backoff_algorithm"}, "draws": "opaque", "max_batch": 256,
		"features": []string{"instances", "fresh_process"}, "ranges": Fields{"base_ms": []string{"2000", "2000"},
			"max_ms": []string{"0", "4294967295"}, "max_attempts": Fields{"forever": true}}}, port)
}
