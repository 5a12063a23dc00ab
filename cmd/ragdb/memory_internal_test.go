package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/internal/service"
)

func TestPrintBeyondMemory(t *testing.T) {
	for _, c := range []struct {
		name   string
		beyond []service.BeyondSpace
		want   []string
	}{
		{"all fits", nil, nil},
		{"some does not", []service.BeyondSpace{
			{Name: "main/base/b", Source: "codes", Vectors: 70, Why: "the vectors take 9 bytes"},
			{Name: "main/base/c", Source: "walk", Vectors: 80, Why: "the graph takes 8 bytes"},
			{Name: "main/base/d", Source: "disk", Vectors: 90, Why: "nothing fits"},
		}, []string{
			"main/base/b", "by codes in memory", "the vectors take 9 bytes", "main/base/c", "by walking the graph on disk",
			"main/base/d", "one by one on disk", "the bound is 16.0 MB; --memory SIZE gives another",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out, notes bytes.Buffer
			a := newApp(nil, strings.NewReader(""), &out, &notes)
			a.out.format = asTable
			a.printBeyondMemory(&service.Memory{BudgetBytes: 16e6, Beyond: c.beyond})
			got := out.String() + notes.String()
			for _, w := range c.want {
				if !strings.Contains(got, w) {
					t.Errorf("without %q:\n%s", w, got)
				}
			}
			if len(c.want) == 0 && got != "" {
				t.Errorf("tells of what fits:\n%s", got)
			}
		})
	}
}
