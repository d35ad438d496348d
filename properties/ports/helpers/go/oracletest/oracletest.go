// Package oracletest holds a port to a public document on retry back-off, in a test of go test.
package oracletest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	backoffport "github.com/backoff-oracle/backoff-oracle/properties/ports/helpers/go"
)

// Where this variable is set, the test is the port: Check started it again.
const asPort = "BACKOFF_ORACLE_PORT"

// Check fails the test unless the port conforms to the document; the verdict is the failure's text. It runs the program
// backoff-oracle of the PATH, or the one that the variable BACKOFF_ORACLE names, with the further options of its verb check. The
// program starts this test again as the port, so call Check once in a test, before anything that a port must not do.
func Check(t *testing.T, system string, about backoffport.Fields, port backoffport.Port, options ...string) {
	t.Helper()
	judge(t, "check", system, about, port, options)
}

// Replay judges one history again, by the token that a verdict names.
func Replay(t *testing.T, token string, about backoffport.Fields, port backoffport.Port, options ...string) {
	t.Helper()
	judge(t, "replay", token, about, port, options)
}

func judge(t *testing.T, verb, what string, about backoffport.Fields, port backoffport.Port, options []string) {
	t.Helper()
	if os.Getenv(asPort) == t.Name() {
		backoffport.Serve(about, port)
		os.Exit(0)
	}
	program := os.Getenv("BACKOFF_ORACLE")
	if program == "" {
		program = "backoff-oracle"
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	words := append([]string{verb, what}, options...)
	command := exec.Command(program, append(words, "--", self, "-test.run", only(t.Name()))...)
	command.Env = append(os.Environ(), asPort+"="+t.Name())
	verdict, err := command.CombinedOutput()
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		t.Fatalf("exit %d\n%s", ended.ExitCode(), withCalls(string(verdict)))
	} else if err != nil {
		t.Fatal(err)
	}
}

var replayed = regexp.MustCompile(`(?m)^( *replay +)\S+ replay (\S+)(.*) -- .*$`)

// withCalls has each line that replays a history as a call: what go test built is gone when the test has ended.
func withCalls(verdict string) string {
	return replayed.ReplaceAllStringFunc(verdict, func(line string) string {
		parts := replayed.FindStringSubmatch(line)
		call := fmt.Sprintf("%soracletest.Replay(t, %q, about, port", parts[1], parts[2])
		for _, option := range strings.Fields(parts[3]) {
			call += fmt.Sprintf(", %q", option)
		}
		return call + ")"
	})
}
