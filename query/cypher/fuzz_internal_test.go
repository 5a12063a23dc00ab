package cypher

import (
	"errors"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

// seeds adds the statements of the golden files to a fuzz test.
func seeds(f *testing.F) {
	for _, name := range []string{"accepted.txt", "refused.txt"} {
		raw, err := os.ReadFile("testdata/syntax/" + name)
		if err != nil {
			f.Fatal(err)
		}
		for _, c := range strings.Split(string(raw), "\n\n") {
			if text, _, ok := strings.Cut(c, "\n----"); ok {
				f.Add(text)
			}
		}
	}
}

// FuzzParse: no text makes the parser or the checks panic or hang, an error has
// a place within the text, and what is parsed can be printed and parsed again.
func FuzzParse(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		s, err := parse(text, nil)
		if err == nil {
			statementExprs(s, func(x expr) { roundTrip(t, x) })
			_, err = check(s, nil)
		}
		if err == nil {
			return
		}
		var e *SyntaxError
		if !errors.As(err, &e) {
			t.Fatalf("%q: the error is a %T", text, err)
		}
		lines := strings.Split(text, "\n")
		if e.Line < 1 || e.Line > len(lines) || e.Column < 1 || e.Column > utf8.RuneCountInString(lines[e.Line-1])+1 {
			t.Errorf("%q: %v is outside the text", text, e)
		}
		if e.Message == "" || e.Code == "" {
			t.Errorf("%q: an error without a message or a code", text)
		}
		if got := strings.Count(e.Caret(), "\n"); got != 1 {
			t.Errorf("%q: the caret has %d line breaks: %q", text, got, e.Caret())
		}
	})
}

// FuzzSplit: the pieces of a script are its text in order, and splitting does
// not depend on what follows a semicolon.
func FuzzSplit(f *testing.F) {
	seeds(f)
	f.Add("MATCH (n) RETURN n; // c ;\n RETURN ';' ; RETURN `;` /* ; */")
	f.Add("//0")
	f.Fuzz(func(t *testing.T, script string) {
		pieces, rest, complete := Split(script)
		end := 0
		for _, p := range append(pieces, rest) {
			if p.Start < end || !strings.HasPrefix(script[p.Start:], p.Text) {
				t.Fatalf("%q: the piece %q is not at %d", script, p.Text, p.Start)
			}
			if want := 1 + strings.Count(script[:p.Start], "\n"); p.Line != want {
				t.Errorf("%q: the piece %q is in line %d, not %d", script, p.Text, want, p.Line)
			}
			end = p.Start + len(p.Text)
		}
		if complete != (rest.Text == "") {
			t.Errorf("%q: complete is %v and the rest is %q", script, complete, rest.Text)
		}
		if !complete {
			return
		}
		more, _, _ := Split(script + "\nRETURN 1;") // on a line that is in no comment
		if len(more) != len(pieces)+1 || more[len(pieces)].Text != "RETURN 1" {
			t.Errorf("%q: one more statement makes %d of %d", script, len(more), len(pieces))
		}
	})
}

// FuzzOneLine: the line has the tokens of the text, and no line break.
func FuzzOneLine(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		line := OneLine(text)
		if strings.Contains(line, "\n") {
			t.Fatalf("%q: %q has a line break", text, line)
		}
		want, got := lex(text), lex(line)
		for i, tok := range want {
			if tok.kind == tokBad { // it may be cut in another way
				return
			}
			if i >= len(got) || got[i].kind != tok.kind {
				t.Fatalf("%q: %q differs in token %d", text, line, i)
			}
		}
	})
}
