package oracletest

import (
	"fmt"
	"regexp"
	"strings"

	backoffport "github.com/backoff-oracle/backoff-oracle/properties/ports/helpers/go"
)

const unnamed = "port"

var (
	lastName  = regexp.MustCompile(`\w*$`)
	ofClosure = regexp.MustCompile(`^(func)?\d*$`)
	replayed  = regexp.MustCompile(`(?m)^( *replay +).+? (check|replay) (.*) -- .*$`)
	word      = regexp.MustCompile(`(?:'[^']*'|\\.|[^\s'\\])+`)
	quoting   = regexp.MustCompile(`'([^']*)'|\\(.)`)
)

// only is the pattern of go test for one test, or for one below another.
func only(name string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return strings.Join(parts, "/")
}

// withCalls has each line that replays a history as a call: what go test built is gone when the test has ended.
func withCalls(verdict, port string, stated backoffport.Fields) string {
	called := replayed.ReplaceAllStringFunc(verdict, func(line string) string {
		parts := replayed.FindStringSubmatch(line)
		words := word.FindAllString(parts[3], -1)
		for i, each := range words {
			words[i] = fmt.Sprintf("%q", quoting.ReplaceAllString(each, "$1$2"))
		}
		words = append([]string{"t", words[0], port}, words[1:]...)
		if len(stated) > 0 {
			words = append(words, strings.ReplaceAll(fmt.Sprintf("%#v", stated), "interface {}", "any"))
		}
		verb := map[string]string{"check": "Check", "replay": "Replay"}[parts[2]]
		return fmt.Sprintf("%soracletest.%s(%s)", parts[1], verb, strings.Join(words, ", "))
	})
	if port == unnamed && called != verdict {
		called += "In a call that replays a history, port is the port that the test gave to Check.\n"
	}
	return called
}

// conclusion is the line of a failing test that is seen first.
func conclusion(verdict string, code int) string {
	for _, line := range strings.Split(verdict, "\n") {
		if strings.HasPrefix(line, "verdict: ") {
			return line
		}
	}
	return fmt.Sprintf("exit %d", code)
}
