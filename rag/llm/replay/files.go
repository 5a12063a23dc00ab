package replay

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"

	"github.com/ragdb/ragdb/rag/load"
)

// ReadPassages reads recorded passages from a table of lines
//
//	{"passage_id","entities":["..."],"triples":[["s","p","o"],...]}
//
// whose texts are the records of that id in corpus, a JSONL file of documents.
// A line that has "text" (and "title") itself needs none there; corpus may then
// be "". A line of kind "passage" as [Write] writes it is the passage in it, and
// lines of other such kinds are passed over.
//
// What is wrong with a line is a [*load.FileError] that names it, and so is a
// passage that is not in the corpus or is there twice; but if the corpus
// itself has lines that cannot be read, passages that it does not have are left
// out, as those lines are.
func ReadPassages(ctx context.Context, fsys fs.FS, recordings, corpus string) ([]Passage, error) {
	texts, bad, err := readTexts(ctx, fsys, corpus)
	if err != nil {
		return nil, phase.At("", err)
	}
	var out []Passage
	lines := map[string]int{}
	for r, err := range load.Records(ctx, fsys, recordings) {
		if err != nil {
			return nil, phase.At("", err)
		}
		p, ok, err := readPassage(&r)
		if err != nil {
			return nil, phase.At("", err)
		}
		if !ok {
			continue
		}
		if first, ok := lines[p.ID]; ok {
			return nil, phase.At("", r.Refuse("records the passage %q, which line %d does already", p.ID, first))
		}
		lines[p.ID] = r.Line
		if t, ok := texts[p.ID]; ok && p.Text == "" {
			p.Title, p.Text = t.Title, t.Text
		} else if p.Text == "" && p.Title == "" {
			if bad {
				continue
			}
			if corpus == "" {
				return nil, phase.At("", r.Refuse("has no text, and there is no corpus beside it"))
			}
			return nil, phase.At("", r.Refuse("records the passage %q, which %s does not have", p.ID, corpus))
		}
		out = append(out, p)
	}
	return out, nil
}

// readTexts reads title and text of the documents of a corpus. bad says that
// some cannot be read.
func readTexts(ctx context.Context, fsys fs.FS, corpus string) (texts map[string]Passage, bad bool, err error) {
	texts = map[string]Passage{}
	if corpus == "" {
		return texts, false, nil
	}
	for d, err := range load.Walk(ctx, fsys, corpus, &load.Options{Format: "jsonl", NoTitle: true}) {
		var file *load.FileError
		if errors.As(err, &file) && file.Line > 0 {
			bad = true
			continue
		}
		if err != nil {
			return nil, false, err
		}
		texts[d.Key] = Passage{Title: d.Title, Text: d.Text}
	}
	return texts, bad, nil
}

// readPassage reads a passage of a record; ok is false if it is something
// else.
func readPassage(r *load.Record) (p Passage, ok bool, err error) {
	kind, err := r.Text("kind")
	if err != nil {
		return p, false, err
	}
	if _, entry := r.Fields["reply"]; entry && kind != "" {
		if kind != string(KindPassage) {
			return p, false, nil
		}
		reply, err := r.Text("reply")
		if err != nil {
			return p, false, err
		}
		if err := json.Unmarshal([]byte(reply), &p); err != nil || p.ID == "" {
			return p, false, r.Refuse("holds no passage")
		}
		return p, true, nil
	}
	if p.ID, err = r.Need("passage_id"); err != nil {
		return p, false, err
	}
	if p.Title, err = r.Text("title"); err != nil {
		return p, false, err
	}
	if p.Text, err = r.Text("text"); err != nil {
		return p, false, err
	}
	if p.Entities, err = r.Texts("entities"); err != nil {
		return p, false, err
	}
	list, given := r.Fields["triples"]
	triples, isList := list.([]any)
	if given && !isList {
		return p, false, r.Refuse(`has a field "triples" that is not a list`)
	}
	for i, v := range triples {
		parts, _ := v.([]any)
		if len(parts) != 3 {
			return p, false, r.Refuse("has a triple %d that is not a list of three strings", i+1)
		}
		var t Triple
		for j, part := range parts {
			if t[j], isList = part.(string); !isList {
				return p, false, r.Refuse("has a triple %d that is not a list of three strings", i+1)
			}
		}
		p.Triples = append(p.Triples, t)
	}
	return p, true, nil
}
