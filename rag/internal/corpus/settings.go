package corpus

import (
	"context"
	"maps"
	"slices"

	"github.com/ragdb/ragdb/engine"
)

// bucketSettings holds, in the base graph, the settings of a namespace:
// name -> text.
const bucketSettings = "settings"

// Settings returns what programs keep in the namespace for the next ones, such as
// the method that questions are answered by, by name. The caller owns the map.
func (c *Corpus) Settings(ctx context.Context) (map[string]string, error) {
	if err := c.Ready(); err != nil {
		return nil, err
	}
	out := map[string]string{}
	err := c.View(ctx, func(s *engine.Snapshot) error {
		for e, err := range s.Graph(c.base).Bucket(bucketSettings).Scan(nil, nil) {
			if err != nil {
				return err
			}
			out[string(e.Key)] = string(e.Value)
		}
		return nil
	})
	if err != nil {
		return nil, phase.Errorf("read the settings: %w", err)
	}
	return out, nil
}

// KeepSettings keeps settings beside those that are there, and removes those whose
// value is empty.
func (c *Corpus) KeepSettings(ctx context.Context, values map[string]string) error {
	if err := c.Ready(); err != nil {
		return err
	}
	err := c.db.Update(ctx, func(tx *engine.Tx) error {
		b, err := tx.Graph(c.base).MakeBucket(bucketSettings)
		if err != nil {
			return err
		}
		for _, k := range slices.Sorted(maps.Keys(values)) {
			if values[k] == "" {
				err = b.Delete([]byte(k))
			} else {
				err = b.Set([]byte(k), []byte(values[k]))
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return phase.Errorf("store the settings: %w", err)
	}
	return nil
}
