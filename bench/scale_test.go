package main

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// TestFigures reads the three forms of output.
func TestFigures(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"measures": {`{"measures":[{"name":"making","value":2.5,"unit":"CPU-s"}]}`, "making 2.5 CPU-s"},
		"one row":  {`{"tables":[{"columns":["method","keys"],"rows":[["naive","12.5 k"]]}]}`, "keys 12500 "},
		"a result": {`{"v":1,"engine":"ragdb","cpu_s":0.25}`, "cpu_s 0.25 |v 1 "},
	} {
		all, err := figuresOf([]byte(c.in))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range all {
			got = append(got, m.Name+" "+strings.TrimSpace(strings.ReplaceAll(number(m.Value), " k", "e3"))+" "+m.Unit)
		}
		if s := strings.ReplaceAll(strings.Join(got, "|"), "12.5e3", "12500"); s != c.want {
			t.Errorf("%s: %q, want %q", name, s, c.want)
		}
	}
	for _, bad := range []string{"", "{}", `{"tables":[{"columns":["a"],"rows":[["1"],["2"]]}]}`} {
		if got, err := figuresOf([]byte(bad)); err == nil {
			t.Errorf("figures %v of %q", got, bad)
		}
	}
}

func TestScaleArguments(t *testing.T) {
	for _, args := range [][]string{{"-only", "nothing"}, {"-sizes", "0"}, {"-sizes", "1,x"}, {"-sizes", "1000000"}} {
		var out bytes.Buffer
		if err := run(t.Context(), append([]string{"scale"}, args...), &out, io.Discard); err == nil {
			t.Errorf("%v was taken", args)
		}
	}
}
