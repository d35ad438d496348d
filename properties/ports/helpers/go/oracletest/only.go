package oracletest

import (
	"regexp"
	"strings"
)

// only is the pattern of go test for one test, or for one below another.
func only(name string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return strings.Join(parts, "/")
}
