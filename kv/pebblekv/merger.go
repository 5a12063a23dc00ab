package pebblekv

import (
	"io"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ragdb/ragdb/kv"
)

// merger folds operands with the schema's fold. It never fails: Pebble would
// retry the flush or compaction at once and without end, and the damage of one
// key would stop all writes. It does not
// implement DeletableValueMerger, whose results can panic a compaction.
func merger(s *kv.Schema) *pebble.Merger {
	return &pebble.Merger{
		Name: s.MergerName,
		Merge: func(key, value []byte) (pebble.ValueMerger, error) {
			return folder{s.NewFold(key, value)}, nil
		},
	}
}

// folder implements pebble.ValueMerger.
type folder struct {
	fold kv.Fold
}

func (f folder) MergeNewer(value []byte) error {
	f.fold.Newer(value)
	return nil
}

func (f folder) MergeOlder(value []byte) error {
	f.fold.Older(value)
	return nil
}

func (f folder) Finish(includesBase bool) ([]byte, io.Closer, error) {
	return f.fold.Finish(includesBase), nil, nil
}
