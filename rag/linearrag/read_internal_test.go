package linearrag

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/internal/text"
)

// TestRead says what is taken of a chunk: names with what it calls them and how often,
// and the sentences that join two or more of them.
func TestRead(t *testing.T) {
	t.Parallel()
	long := "M" + strings.Repeat("o", 300)
	for name, c := range map[string]struct {
		body, names, joining string
		aliases              corpus.Aliases
	}{
		"sentences with two names join": {
			body:    "Ada Fenn met Brom Vale in Orsk. Brom Vale slept. Ada Fenn left Orsk.",
			names:   "ada fenn=Ada Fenn*2 brom vale=Brom Vale*2 orsk=Orsk*2",
			joining: "0[0 1 2] 2[0 2]",
		},
		"every place counts, whatever the case": {
			body:    "Ada Fenn met Brom Vale. ADA FENN, so ada fenn says, met him.",
			names:   "ada fenn=Ada Fenn*3 brom vale=Brom Vale*1",
			joining: "0[0 1]",
		},
		"a name twice in a sentence joins nothing": {
			body:  "It was Ada Fenn who saw Ada Fenn.",
			names: "ada fenn=Ada Fenn*2",
		},
		"a date is a name": {
			body:    "They met Ada Fenn in 1901.",
			names:   "1901=1901*1 ada fenn=Ada Fenn*1",
			joining: "0[0 1]",
		},
		"a name that is read as another": {
			body:    "They say that Ada Fenn met Brom Vale. They say that Ada Fenn is Ida Fenn.",
			names:   "brom vale=Brom Vale*1 ida fenn=Ida*3",
			joining: "0[0 1]",
			aliases: corpus.Aliases{"ada fenn": {Key: "ada fenn", Into: "Ida", IntoKey: "ida fenn"}},
		},
		"what is too long for a name": {body: "They saw " + long + " in Orsk.", names: "orsk=Orsk*1"},
		"no name":                     {body: "It rained all day."},
		"nothing":                     {},
	} {
		r := read(c.body, text.Names(c.body, nil), c.aliases)
		var names, joins []string
		for _, n := range r.Names {
			names = append(names, fmt.Sprintf("%s=%s*%d", n.Key, n.Label, n.Count))
		}
		for _, j := range r.Joining {
			joins = append(joins, fmt.Sprintf("%d%v", j.Number, j.Names))
		}
		if got := strings.Join(names, " "); got != c.names {
			t.Errorf("%s: names %s, want %s", name, got, c.names)
		}
		if got := strings.Join(joins, " "); got != c.joining {
			t.Errorf("%s: sentences %s, want %s", name, got, c.joining)
		}
	}
}
