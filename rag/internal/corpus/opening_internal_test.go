package corpus

import (
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag/internal/text"
)

// TestOpening: what stands above a place in a table or in code, so that a chunk that begins there
// can be read.
func TestOpening(t *testing.T) {
	s := "Before\n\nName | Use\na | 1\nb | 2\n\nBetween\n\n# top\nserver:\n  http: # what listens\n  # no key:\n    port: 80\n    paths:\n      - /a\n  log: x\n\n[mail.out]\nhost = y\n\nAfter " + strings.Repeat("x", 900) + "\na"
	o := &Outline{}
	for _, b := range []block{{Start: 8, Kind: text.Table}, {Start: 31}, {Start: 40, Kind: text.Code}, {Start: strings.Index(s, "After")}} {
		o.blocks = append(o.blocks, b)
	}
	x := opening{o: o, text: s}
	for _, c := range []struct{ at, want string }{
		{"Before", ""}, {"Name", ""}, {"a | 1", "Name | Use\n"}, {"b | 2", "Name | Use\n"}, {"Between", ""}, {"# top", ""}, {"server", ""},
		{"http", "server:\n  "}, {"port", "server:\n    "}, {"- /a", "server:\n    paths:\n      "}, {"log", "server:\n  "},
		{"[mail", ""}, {"host", "[mail.out]\n"}, {"After", ""},
	} {
		if got := x.of(strings.Index(s, c.at)); got != c.want {
			t.Errorf("above %q stands %q, want %q", c.at, got, c.want)
		}
	}
	long := "A | " + strings.Repeat("B | ", 200) + "\n1\n"
	x = opening{o: &Outline{blocks: []block{{Kind: text.Table}}}, text: long}
	if got := x.of(len(long) - 2); got != "" {
		t.Errorf("a header of %d bytes stands above a row", len(got))
	}
}
