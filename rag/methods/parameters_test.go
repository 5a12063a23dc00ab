package methods_test

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestParameters lists each parameter of each method with its default and what else it
// may be, as the method's own message says. A change of one is a change that users see,
// and changes testdata/parameters.txt; profiles have theirs at the end.
func TestParameters(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	var got strings.Builder
	for _, name := range methods.All().Names() {
		standard := c.System(t, name).Params()
		for _, key := range slices.Sorted(maps.Keys(standard)) {
			may := ""
			_, err := methods.All().Open(t.Context(), c.Docs(), method.Spec{Name: name, Params: map[string]string{key: "?"}})
			switch {
			case errors.Is(err, method.ErrMethod):
				_, may, _ = strings.Cut(err.Error(), key+"=?: ")
			case err != nil:
				t.Errorf("%s:%s=?: %v", name, key, err)
			}
			fmt.Fprintf(&got, "%s %s=%s: %s\n", name, key, standard[key], may)
		}
		for _, profile := range []string{"code", "paper"} {
			sys, err := methods.All().Open(t.Context(), c.Docs(), method.Spec{Name: name, Params: map[string]string{"profile": profile}})
			if errors.Is(err, method.ErrMethod) {
				continue // it has no such profile
			}
			if err != nil {
				t.Fatal(err)
			}
			params := sys.Params()
			for _, key := range slices.Sorted(maps.Keys(params)) {
				if params[key] != standard[key] {
					fmt.Fprintf(&got, "%s profile=%s %s=%s\n", name, profile, key, params[key])
				}
			}
		}
	}
	const golden = "testdata/parameters.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	ragtest.Same(t, golden, got.String(), string(want))
}
