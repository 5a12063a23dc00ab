package fault_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ragdb/ragdb/internal/fault"
)

func TestCut(t *testing.T) {
	short := strings.Repeat("é", 100)
	for _, s := range []string{"", "a", short, short + "x", strings.Repeat("a", 201), strings.Repeat("é", 5000), strings.Repeat("x€", 9999), strings.Repeat("\xa9", 1000)} {
		got := fault.Cut(s)
		if len(got) > 200 || len(s) <= 200 && got != s || len(s) > 200 && !strings.Contains(got, " … ") {
			t.Errorf("%d bytes are cut to %d: %q", len(s), len(got), got)
		}
		if utf8.ValidString(s) != utf8.ValidString(got) && utf8.ValidString(s) {
			t.Errorf("a rune is cut: %q", got)
		}
		if len(s) > 200 && s[0] != '\xa9' && (!strings.HasPrefix(s, got[:100]) || !strings.HasSuffix(s, got[len(got)-40:])) {
			t.Errorf("%q is not the beginning and the end", got)
		}
		if b := fault.Bound(s); len(b) > 1000 || len(s) <= 1000 && b != s {
			t.Errorf("%d bytes are bound to %d", len(s), len(b))
		}
	}
	type name string
	long, kind := strings.Repeat("9", 1<<20), errors.New("kind")
	for _, err := range []error{
		fault.Load.Errorf("read %s: %q, %v: %w", long, name(long), []byte(long), kind),
		fault.Load.Mark(kind, "read %s", long),
		fault.Load.At(long, kind),
	} {
		if n := len(err.Error()); n > 1000 || !errors.Is(err, kind) {
			t.Errorf("an error of %d bytes: %.100s", n, err)
		}
	}
	// Each of joined errors has its line, up to a hundred of them.
	many := []error{errors.New(long), kind}
	if s := fault.Load.Errorf("read: %w", errors.Join(many...)).Error(); len(s) > 1000+len("\nkind") || !strings.HasSuffix(s, "\nkind") {
		t.Errorf("joined errors of %d bytes: %.100s", len(s), s)
	}
	for range 500 {
		many = append(many, kind)
	}
	if s := fault.Load.Errorf("read: %w", errors.Join(many...)).Error(); strings.Count(s, "\n") != 100 || !strings.HasSuffix(s, "\nand 402 lines more") {
		t.Errorf("joined errors end %.100q", s[len(s)-100:])
	}
	if s := fault.Text("there is no %q; there are %d", long, 7); len(s) > 260 || !strings.HasSuffix(s, "; there are 7") {
		t.Errorf("%q does not say the way out", s)
	}
}
