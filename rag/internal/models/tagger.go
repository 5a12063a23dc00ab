package models

import (
	"context"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/corpus"
)

// keyTagger holds, in [bucketModels], the name of the tagger that documents are read
// with beside the rules. It is missing if there is none.
const keyTagger = "tagger"

// TaggerOf returns the name of the tagger that documents are read with, as a view of
// the base graph shows it; "" is none. It is part of the digest of what is read.
func TaggerOf(v engine.Reader) (string, error) {
	raw, err := v.Bucket(bucketModels).Get([]byte(keyTagger), nil)
	if corpus.IsMissing(err) {
		return "", nil
	}
	return string(raw), err
}

// ClaimTagger makes the tagger of m the one that documents are read with, and reports
// whether it was another one. If m has a chat model, which reads documents itself,
// nothing changes.
func ClaimTagger(ctx context.Context, c *corpus.Corpus, m *Models) (other bool, err error) {
	if !m.Free() {
		return false, nil
	}
	want := ""
	if t := m.Parts().Tagger; t != nil {
		want = t.Name()
	}
	var have string
	err = c.DB().View(ctx, func(s *engine.Snapshot) error {
		have, err = TaggerOf(s.Graph(c.Base()))
		return err
	})
	if err != nil || have == want {
		return false, err
	}
	return true, c.DB().Update(ctx, func(tx *engine.Tx) error {
		b, err := tx.Graph(c.Base()).MakeBucket(bucketModels)
		if err != nil {
			return err
		}
		if want == "" {
			return b.Delete([]byte(keyTagger))
		}
		return b.Set([]byte(keyTagger), []byte(want))
	})
}
