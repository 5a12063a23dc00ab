package knowledge

import (
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
)

// TestSince: what came since descriptions were united is told, as long as all of them are
// said; without the sums of them nothing is known.
func TestSince(t *testing.T) {
	t.Parallel()
	united := engine.Props{PropTexts: engine.Bytes(Said{Texts: []string{"a", "c"}}.sums())}
	for name, x := range map[string]struct {
		now   []string
		props engine.Props
		since []string
		ok    bool
	}{
		"the same":       {[]string{"a", "c"}, united, nil, true},
		"two more":       {[]string{"a", "b", "c", "d"}, united, []string{"b", "d"}, true},
		"one has gone":   {[]string{"a", "b"}, united, []string{"b"}, false},
		"all have gone":  {nil, united, nil, false},
		"never united":   {[]string{"a"}, nil, nil, false},
		"a broken sum":   {[]string{"a"}, engine.Props{PropTexts: engine.Bytes([]byte("123"))}, nil, false},
		"not even bytes": {[]string{"a"}, engine.Props{PropTexts: engine.String("12345678")}, nil, false},
	} {
		since, ok := Said{Texts: x.now}.since(x.props)
		if !slices.Equal(since, x.since) || ok != x.ok {
			t.Errorf("%s: %q %v, want %q %v", name, since, ok, x.since, x.ok)
		}
	}
}
