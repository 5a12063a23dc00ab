package encoded

import "github.com/ragdb/ragdb/engine"

// Forget returns an [engine.Encoding]'s Rebuild that removes an entry of a bucket
// which cannot be read: what it was kept for is then done again, or does without it.
func Forget(bucket string) func(v *engine.TxView, key []byte) error {
	return func(v *engine.TxView, key []byte) error {
		b, err := v.MakeBucket(bucket)
		if err != nil {
			return err
		}
		return b.Delete(key)
	}
}

// InBase returns encodings of the base graph.
func InBase(e ...engine.Encoding) []engine.Encoding {
	for i := range e {
		e[i].Graph = engine.Base
	}
	return e
}
