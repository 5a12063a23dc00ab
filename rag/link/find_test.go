package link_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/link"
	"github.com/ragdb/ragdb/rag/methods"
)

// corpus has names of one thing and names of several, by their code.
func corpus(t *testing.T) *ragtest.Corpus {
	c := ragtest.Open(t, methods.All())
	c.Use(ragtest.Fixed)
	var docs []ragtest.Doc
	for i, s := range []string{
		"In spring the Old Harbour Society met in Tarn. Many members of the Harbour Society were fishers.",
		"Every boat of the Old Harbour Society has a bell. They sold the boats.",
		"They say that Merrick Comet Club, also known as Merrick Comet Circle, was small.",
		"They sold the boats of Merrick Comet Circle. In Norvale it was cold.",
		"We know that Stage Karrow 1 came before Stage Karrow 2 in that year.",
		"When the fire ended, Stage Karrow 1 was lost. We saw Stage Karrow 2 burn.",
		"In Selby the Grand Northern Railway and the Grand Southern Railway met at noon.",
		"They painted the Grand Northern Railway. They sold the Grand Southern Railway.",
	} {
		docs = append(docs, ragtest.Doc{Key: fmt.Sprintf("%d.md", i), Text: s})
	}
	c.Index(t, "hirag", docs...)
	return c
}

// TestFind says that names of one thing are found, best first, with what a person
// judges by, and names of several things are not.
func TestFind(t *testing.T) {
	t.Parallel()
	c := corpus(t)
	r, err := c.MergeCandidates(t.Context(), nil, link.Options{Min: 0.01})
	if err != nil {
		t.Fatal(err)
	}
	if r.Model != "hashes" || r.Names == 0 || r.Found != len(r.Candidates) {
		t.Errorf("%+v", r)
	}
	found := map[string]link.Candidate{}
	for i, x := range r.Candidates {
		found[x.Name.Key+" | "+x.Into.Key] = x
		if i > 0 && x.Score > r.Candidates[i-1].Score {
			t.Errorf("%s is after what is worse", x.Name.Key)
		}
		if x.Name.Docs > x.Into.Docs || x.Reason == "" || x.Cosine < 0.01 {
			t.Errorf("%+v", x)
		}
	}
	x, ok := found["harbour society | old harbour society"]
	if ok {
		t.Errorf("a word of contrast: %+v", x)
	}
	x, ok = found["merrick comet club | merrick comet circle"]
	if !ok || x.Name.Docs != 1 || x.Into.Docs != 2 || x.Name.Chunk != "2.md#0" || x.Name.Sentence == "" || x.Into.Sentence != "They sold the boats of Merrick Comet Circle." {
		t.Errorf("stated: %+v in %+v", x, found)
	}
	for pair := range found {
		for _, wrong := range []string{"stage karrow 1", "grand northern railway"} {
			if pair == wrong+" | stage karrow 2" || pair == "stage karrow 2 | "+wrong || pair == "grand southern railway | "+wrong || pair == wrong+" | grand southern railway" {
				t.Errorf("found %s", pair)
			}
		}
	}
	again, err := c.MergeCandidates(t.Context(), nil, link.Options{Min: 0.01})
	if err != nil || !reflect.DeepEqual(again, r) {
		t.Errorf("a second search finds %+v, %v", again, err)
	}
	few, err := c.MergeCandidates(t.Context(), nil, link.Options{Min: 0.01, Top: 1})
	if err != nil || len(few.Candidates) != 1 || few.Found != r.Found || !reflect.DeepEqual(few.Candidates[0], r.Candidates[0]) {
		t.Errorf("the best: %+v, %v", few, err)
	}
}
