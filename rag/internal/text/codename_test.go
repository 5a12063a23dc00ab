package text_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag/internal/text"
)

// namesIn returns the keys of the names of a text that are not dates.
func namesIn(s string, stats *text.CaseStats) []string {
	var keys []string
	for _, n := range text.Names(s, stats) {
		if n.Kind != text.Date && !slices.Contains(keys, n.Key) {
			keys = append(keys, n.Key)
		}
	}
	return keys
}

// toolStats are of a corpus where Kiln is a program that is typed as kiln.
func toolStats() *text.CaseStats {
	var stats text.CaseStats
	stats.Add(strings.Repeat("With Kiln you run kiln and the kiln server. ", 6) + strings.Repeat("We use a branch, in Branch one. ", 2) +
		strings.Repeat("We made a branch of the lokale branch. ", 9))
	return &stats
}

func TestNamesOfCode(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []string
	}{
		{"options", "Pass --no-check or --log=9 (not -v, nor a--b).", []string{"no check", "log"}},
		{"paths", "It is in /var/kiln/, ~/kiln and ./run; one and/or two; a loader/linker; 1/2.", []string{"var kiln", "kiln", "run"}},
		{"path below a name", "See kiln/rules and docs/kiln.yaml.", []string{"docs kiln yaml"}},
		{"dots", "Edit kiln.yaml, core.quotePath and .Site.Data, e.g. a.b or kiln1.11.", []string{"kiln yaml", "core quotepath", "site data", "kiln1 11"}},
		{"no dots of names", "Go to kiln.com, wait 1.5 or 2.10.12 s.They left.the town.", nil},
		{"underscores", "Set log_position, _vendor and GIT_TRACE, _not_ 1_000.", []string{"log position", "vendor", "git trace"}},
		{"humps", "Read publishDate, not kHz or w7Ft2ym.", []string{"publishdate"}},
		{"calls", "Use lstat(2) or check_it() of f(x) and word(s).", []string{"lstat", "check it"}},
		{"not spoken", "Run dpkg and a commit-msg hook at 70 mph.", []string{"dpkg", "commit msg"}},
		{"entries", "It builds.\n\nbuild-arch\n\nThe build-arch of a well-known one.", []string{"build arch"}},
		{"addresses", "Mail to a@kiln.dev or https://kiln.dev/x_y.", nil},
		{"handles", "By @wren in #12.", []string{"wren"}},
		{"program text", "It is so:\n\n{{ $Kiln.Add \"Hello\" \"Welcome\" }}\n\n<b class=\"Hot\">Cold</b>", nil},
		{"commands", "Then kiln ls-trees it and kiln push does; kiln server is up.", []string{"kiln ls trees", "kiln push"}},
		{"a program", "For Kiln it is so. Kiln runs.", []string{"kiln"}},
		{"an ordinary word", "For a Branch it is so.", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := namesIn(c.in, toolStats()); !slices.Equal(got, c.want) {
				t.Errorf("names of %q are %q, want %q", c.in, got, c.want)
			}
		})
	}
}

// A heading is a name only if it names something, and the number of a part is none.
func TestNamesOfHeadings(t *testing.T) {
	for _, c := range []struct{ in, not string }{
		{"5.8.3. Specific Options\n\nThe following may be set.", "5 8 3 specific options"},
		{"Notes\n\nIt is so.", "notes"},
		{"Declaring the names of parts\n\nIt is so.", "declaring the names of parts"},
		{"It is in Figure 3 and Table 14.", "figure 3"},
		{"Das ist in Abbildung 16.2 zu sehen, und das ist alles.", "abbildung 16 2"},
		{"Es ist das Ende der Liste, und das ist alles.", "ende der liste"},
		{"Copyright 1997, 1998 Ian Marsh and others.", "1998 ian marsh"},
		{"Und das ist so. Lokale Kopien sind auch nicht das.", "lokale kopien"},
	} {
		stats := toolStats()
		stats.Add("Es gibt lokale und lokale.")
		if got := namesIn(c.in, stats); slices.Contains(got, c.not) {
			t.Errorf("names of %q are %q", c.in, got)
		}
	}
	for _, c := range []struct{ in, want string }{
		{"2.1. Tarn Server\n\nIt is so.", "tarn server"},
		{"Dangerous Minds\n\nIn Dangerous Minds it is so.", "dangerous minds"},
		{"Tarn (film)\n\nIt is new.", "tarn film"},
		{"1998 Ian Marsh Cup was new.", "1998 ian marsh cup"},
	} {
		if got := namesIn(c.in, toolStats()); !slices.Contains(got, c.want) {
			t.Errorf("names of %q are %q", c.in, got)
		}
	}
}

// Types, values and words of German that are no nouns are no terms, nor is program text.
func TestTermsOfCode(t *testing.T) {
	for _, s := range []string{
		"The value is a string, a boolean or null, e.g. uint32.",
		"Das ist digital und sehr gut geeignet.",
		"{{ range where pages are sorted }}",
	} {
		if got := text.Terms(s, nil); len(got) > 0 {
			t.Errorf("terms of %q are %v", s, got)
		}
	}
}
