// Package oracletest holds a port to a public document on retry back-off, in a test of go test.
package oracletest

import (
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"strings"
	"testing"

	backoffport "github.com/backoff-oracle/backoff-oracle/properties/ports/helpers/go"
)

// Where this variable is set, the test is the port: Check started it again.
const asPort = "BACKOFF_ORACLE_PORT"

// Of the reply to start; properties/protocol/schema_test.py holds them to the schema.
const fieldsOfPort = "port systems ranges draws draw_kind rand_max mapping features max_batch max_line"

// Where the port's replies go. What else the program of the tests prints, as its TestMain may, goes to standard error.
var replies = os.Stdout

func init() {
	if os.Getenv(asPort) != "" {
		os.Stdout = os.Stderr
	}
}

// Check fails the test unless the port conforms to the document, or to the file of a policy; the verdict is the failure's text, and is
// logged where it passes. It runs the program backoff-oracle of the PATH, or the one that the variable BACKOFF_ORACLE names. Options
// are further words of `backoff-oracle check`; Fields among them are what the port says of itself, such as
// backoffport.Fields{"draw_kind": "unit"}. The program starts this test again as the port, so call Check once in a test, before
// anything that a port must not do.
func Check(t *testing.T, system string, port backoffport.Port, options ...any) {
	t.Helper()
	judge(t, "check", system, port, options)
}

// Replay judges one history again, by the token that a verdict names.
func Replay(t *testing.T, token string, port backoffport.Port, options ...any) {
	t.Helper()
	judge(t, "replay", token, port, options)
}

func judge(t *testing.T, verb, what string, port backoffport.Port, options []any) {
	t.Helper()
	name := nameOf(port)
	about := backoffport.Fields{"port": backoffport.Fields{"name": name, "language": "Go"}, "features": []string{"instances"}}
	stated := backoffport.Fields{}
	words := []string{verb, what}
	for _, option := range options {
		if fields, are := option.(backoffport.Fields); are {
			for field, value := range fields {
				if !strings.Contains(" "+fieldsOfPort+" ", " "+field+" ") {
					t.Fatalf("%s: expected one of %s", field, fieldsOfPort)
				}
				about[field], stated[field] = value, value
			}
		} else {
			words = append(words, fmt.Sprint(option))
		}
	}
	if os.Getenv(asPort) == t.Name() {
		os.Stdout = replies
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
	command := exec.Command(program, append(words, "--", self, "-test.run", only(t.Name()))...)
	command.Env = append(os.Environ(), asPort+"="+t.Name())
	said, err := command.CombinedOutput()
	verdict := withCalls(string(said), name, stated)
	if command.ProcessState == nil {
		t.Fatalf("%v: install backoff-oracle on the PATH, or set BACKOFF_ORACLE to the program", err)
	} else if err != nil {
		t.Fatalf("%s\n%s", conclusion(verdict, command.ProcessState.ExitCode()), verdict)
	}
	t.Log("\n" + verdict)
}

func nameOf(port backoffport.Port) string {
	name := lastName.FindString(runtime.FuncForPC(reflect.ValueOf(port).Pointer()).Name())
	if ofClosure.MatchString(name) {
		return unnamed
	}
	return name
}
