// Package backoffport is port protocol 1 for a port in Go. You write one function, which makes an instance; see example_port. It
// takes the parameters and the steps that it will answer, and returns a function that answers one step. Numbers arrive as text, exactly as
// the oracle sent them; convert them with strconv or math/big. Numbers in your answers are not rounded, and an infinity is an
// answer. A panic is an answer too: do not recover it. panic(Rejected("why")) refuses the parameters. helpers_test.py checks this file.
package backoffport

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

type Fields = map[string]any
type Instance = func(step Fields) Fields
type Port = func(params Fields, steps []any) Instance
type Rejected string

func on(step any) string { return strings.Replace(fmt.Sprint(step.(Fields)["on"]), "<nil>", "0", 1) }

func result(port Port, params Fields, steps []any) (found Fields) {
	answers, asked, instances := []Fields{}, map[string][]any{}, map[string]Instance{}
	for _, step := range steps {
		asked[on(step)] = append(asked[on(step)], step)
	}
	defer func() {
		why := recover()
		if rejected, is := why.(Rejected); is {
			found = Fields{"rejected": string(rejected)}
		} else if why != nil {
			found = Fields{"steps": append(answers, Fields{"status": "error", "why": fmt.Sprint(why)})}
		}
	}()
	for _, step := range steps {
		if instances[on(step)] == nil {
			instances[on(step)] = port(params, asked[on(step)])
		}
		answers = append(answers, instances[on(step)](step.(Fields)))
		for name, value := range answers[len(answers)-1] {
			if real, is := value.(float64); is { // which JSON has not all of
				answers[len(answers)-1][name] = strings.Replace(fmt.Sprint(real), "+Inf", "Infinity", 1)
			}
		}
	}
	return Fields{"steps": answers}
}

// Serve answers until it is told to stop. A port that lists no systems takes any. What it prints goes to standard error. No request: exit 2.
func Serve(about Fields, port Port) {
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	os.Stdout = os.Stderr
	for in.UseNumber(); ; {
		var given Fields
		if err := in.Decode(&given); err == io.EOF || given["cmd"] == "stop" {
			return
		} else if err != nil {
			panic(err)
		}
		reply, results := Fields{"error": "unknown cmd"}, []Fields{}
		switch given["cmd"].(string) {
		case "start":
			reply = Fields{"protocol": 1, "max_batch": 256}
			for name, value := range about {
				reply[name] = value
			}
			if known := about["systems"]; known != nil && !strings.Contains(fmt.Sprintf("%q", known), fmt.Sprintf("%q", given["system"])) {
				reply = Fields{"error": fmt.Sprint(given["system"], " is not known here")}
			}
		case "run":
			for _, each := range given["cases"].([]any) {
				results = append(results, result(port, each.(Fields)["params"].(Fields), each.(Fields)["steps"].([]any)))
			}
			reply = Fields{"id": given["id"].(json.Number), "results": results}
		}
		if err := out.Encode(reply); err != nil {
			panic(err)
		}
	}
}
