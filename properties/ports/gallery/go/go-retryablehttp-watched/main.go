// A GET with retryablehttp, linear back-off with jitter: a step between 100 and 900 ms, three retries.
package main

import (
	"os"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

func main() {
	client := retryablehttp.NewClient()
	client.Logger, client.Backoff = nil, retryablehttp.LinearJitterBackoff
	client.RetryWaitMin, client.RetryWaitMax, client.RetryMax = 200*time.Millisecond, 400*time.Millisecond, 3
	if _, err := client.Get(os.Args[1]); err != nil {
		os.Exit(1)
	}
}
