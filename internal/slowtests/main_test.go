package main

import (
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	const in = `{"Action":"run","Package":"a","Test":"TestQuick"}
{"Action":"output","Package":"a","Test":"TestQuick","Output":"quick says\n"}
{"Action":"pass","Package":"a","Test":"TestQuick","Elapsed":0.5}
{"Action":"output","Package":"a","Test":"TestSlow","Output":"slow says\n"}
{"Action":"output","Package":"a","Test":"TestSlow/part","Output":"part says\n"}
{"Action":"fail","Package":"a","Test":"TestSlow/part","Elapsed":6}
{"Action":"fail","Package":"a","Test":"TestSlow","Elapsed":7}
{"Action":"output","Package":"a","Test":"TestCut","Output":"panic: here\n"}
{"Action":"output","Package":"a","Output":"FAIL\ta\t7.5s\n"}
{"Action":"fail","Package":"a","Elapsed":7.5}
{"ImportPath":"b","Action":"build-output","Output":"b.go:1: wrong\n"}
{"Action":"output","Package":"c","Output":"?   \tc\t[no test files]\n"}
{"Action":"output","Package":"d","Output":"PASS\n"}
{"Action":"output","Package":"d","Output":"ok  \td\t1s\n"}
`
	const want = `part says
slow says
FAIL	a	7.5s
b.go:1: wrong
ok  	d	1s
panic: here

The slowest of 2 tests, in seconds of wall time beside the others:
    7.00  a  TestSlow
    0.50  a  TestQuick
`
	var out strings.Builder
	if err := run(strings.NewReader(in), &out); err != nil || out.String() != want {
		t.Errorf("error %v, output:\n%s", err, out.String())
	}
	if err := run(strings.NewReader("ok  \ta\t1s\n"), &out); err == nil {
		t.Error("text was read as JSON")
	}
}
