package eval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/load"
)

// retrievals is the name of a data set's file of what other systems retrieved:
// lines of {"system","question_id","retrieved":[record ids]}.
const retrievals = "recorded.jsonl"

// recorded returns the figures of other systems on the questions of this run,
// from what they retrieved once; none if the data set has no such file. A
// system is judged on the questions that it was asked.
func (r *runner) recorded(ctx context.Context) ([]Figure, error) {
	file, err := find(r.o.Data, retrievals)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	at := map[string]int{}
	for i, q := range r.questions {
		at[q.ID] = i
	}
	var systems []string
	lists := map[string]map[int][]string{} // by system and question
	wanted := map[string]string{}          // texts of the records that were retrieved
	err = eachLine(file, func(line []byte) error {
		var l struct {
			System    string   `json:"system"`
			Question  string   `json:"question_id"`
			Retrieved []string `json:"retrieved"`
		}
		if err := json.Unmarshal(line, &l); err != nil {
			return err
		}
		if l.System == "" {
			return errors.New("no system")
		}
		i, ok := at[l.Question]
		if !ok {
			return nil // of a question that is not asked here
		}
		if lists[l.System] == nil {
			systems = append(systems, l.System)
			lists[l.System] = map[int][]string{}
		}
		lists[l.System][i] = l.Retrieved
		for _, id := range l.Retrieved {
			wanted[id] = ""
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := r.readTexts(ctx, wanted); err != nil {
		return nil, err
	}
	slices.Sort(systems)
	var out []Figure
	for _, name := range systems {
		all := make([]*asked, len(r.questions))
		for i, ids := range lists[name] {
			all[i] = r.replayed(&r.questions[i], ids, wanted)
		}
		f := figure(name, all)
		f.Recorded = true
		out = append(out, *f)
	}
	return out, nil
}

// replayed judges records as if they were evidence.
func (r *runner) replayed(q *question, ids []string, texts map[string]string) *asked {
	ev := &rag.Evidence{Sections: []rag.EvidenceSection{{Name: "records"}}}
	items := make([]rag.Cited, len(ids))
	for i, id := range ids {
		items[i] = rag.Cited{Item: query.Item{Text: texts[id]}, Kind: "record", Keys: []string{id}}
		ev.Tokens += r.corpus.Tokens().Count(texts[id])
	}
	ev.Sections[0].Items = items
	a := score(q, items, func(it *rag.Cited) []string { return it.Keys })
	a.tokens, a.evidence = ev.Tokens, evidenceDigest(ev)
	return a
}

// readTexts fills in the texts of records, which are as an index of them has
// them.
func (r *runner) readTexts(ctx context.Context, texts map[string]string) error {
	for d, err := range load.Walk(ctx, r.source.FS, r.source.Root, &r.source.Load) {
		var bad *load.FileError
		if errors.As(err, &bad) {
			continue // which was told when it was indexed
		}
		if err != nil {
			return fmt.Errorf("records: %w", err)
		}
		if _, ok := texts[d.Key]; ok {
			texts[d.Key] = d.Text
		}
	}
	return nil
}
