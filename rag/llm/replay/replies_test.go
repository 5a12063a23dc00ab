package replay_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/replay"
)

// TestReplies writes replies and reads them again.
func TestReplies(t *testing.T) {
	t.Parallel()
	task := llm.Task{Kind: llm.Summarise, Input: llm.SummariseInput{Texts: []string{"a", "b"}}, Prompt: []llm.Message{{Role: "user", Content: "sum"}}}
	digest, err := task.Digest("m/1")
	check(t, err)
	foreign, err := task.Digest("m/2")
	check(t, err)
	var b bytes.Buffer
	for _, e := range []replay.Entry{
		{Digest: digest, Kind: llm.Summarise, Model: "m/1", Reply: "a <b>\n", Usage: llm.Usage{Calls: 1, InTokens: 7, OutTokens: 3}},
		{Digest: foreign, Kind: llm.Extract, Model: "m/2", Reply: "{}"},
		{Digest: replay.Digest{2}, Kind: llm.Extract, Model: "m/3", Divided: &replay.Division{Tokens: 9, Context: 5}},
		{Digest: replay.Digest{1}, Kind: replay.KindEmbedding, Vector: []byte{0, 0, 128, 63}},
	} {
		check(t, replay.Write(&b, e))
	}
	file := b.String()
	if want := `{"digest":"` + replay.Digest(digest).String() + `","kind":"summarise","model":"m/1","reply":"a <b>\n","usage":{"calls":1,"in_tok":7,"out_tok":3}}` + "\n"; !strings.HasPrefix(file, want) {
		t.Errorf("%q does not begin with %q", file, want)
	}
	var models []string
	for e, err := range replay.Read(strings.NewReader(file)) {
		check(t, err)
		models = append(models, e.Model)
		if divided := e.Model == "m/3"; divided != (e.Divided != nil) || divided && *e.Divided != (replay.Division{Tokens: 9, Context: 5}) {
			t.Errorf("%s is divided by %v", e.Model, e.Divided)
		}
	}
	if !slices.Equal(models, []string{"m/1", "m/2", "m/3", ""}) {
		t.Errorf("models %q", models)
	}
	e := replay.NewEmbedder(llm.SpaceInfo{Model: "e", Dim: 2})
	if _, _, err := e.Embed(t.Context(), []string{"x"}); !errors.Is(err, replay.ErrNotRecorded) || e.Space().Dim != 2 {
		t.Error(err)
	}
}

// TestBadEntries refuses lines that are not entries, by their number.
func TestBadEntries(t *testing.T) {
	t.Parallel()
	good := `{"digest":"` + strings.Repeat("0a", 32) + `","kind":"answer","model":"m","reply":"x","api_key":"sk-1"}`
	for line, why := range map[string]string{
		`{"digest":"0a","kind":"answer"}`: "digest",
		`{"kind":"answer","reply":"x"}`:   "no digest",
		`[1]`:                             "not an object",
		`{"digest":`:                      "cut off",
		`{"digest":"` + strings.Repeat("zz", 32) + `"}`:                                             "digest",
		`{"digest":"` + strings.Repeat("0a", 32) + `","kind":"guess","reply":"x"}`:                  `"guess"`,
		`{"digest":"` + strings.Repeat("0a", 32) + `","kind":"answer","divided":{},"reply":"x"}`:    "divided",
		`{"digest":"` + strings.Repeat("0a", 32) + `","kind":"answer","vector":"AAAA","reply":"x"}`: "vector",
		`{"digest":"` + strings.Repeat("0a", 32) + `","kind":"embedding","vector":"AAAA"}`:          "vector",
		`{"digest":"` + strings.Repeat("0a", 32) + `","kind":"answer","reply":5}`:                   `"reply" cannot be a number`,
	} {
		var err error
		for _, err = range replay.Read(strings.NewReader(good + "\n\n" + line + "\n" + good)) {
			if err != nil {
				break
			}
		}
		var bad *replay.LineError
		if !errors.As(err, &bad) || bad.Line != 3 || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// FuzzRead reads any bytes: what is read is written and read the same.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"digest":"` + strings.Repeat("0a", 32) + `","kind":"answer","model":"m","reply":"x","usage":{"calls":1}}`))
	f.Add([]byte(`{"digest":"` + strings.Repeat("ff", 32) + `","kind":"embedding","vector":"AACAPw=="}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for e, err := range replay.Read(bytes.NewReader(data)) {
			if err != nil {
				return
			}
			var b bytes.Buffer
			check(t, replay.Write(&b, e))
			for again, err := range replay.Read(&b) {
				check(t, err)
				if again.Digest != e.Digest || again.Kind != e.Kind || again.Reply != e.Reply || !bytes.Equal(again.Vector, e.Vector) {
					t.Errorf("%v became %v", e, again)
				}
			}
		}
	})
}
