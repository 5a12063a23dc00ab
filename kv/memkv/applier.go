package memkv

import "github.com/ragdb/ragdb/kv"

// applier applies the operations of one batch. It folds the operands of a key
// once: a fold reads all of the older value, so a fold for each operand would
// make n operands of a growing value cost n squared.
type applier struct {
	edit
	schema *kv.Schema
	folds  []folding
	at     map[string]int // the index in folds of a key that has one
}

// folding is a fold that is not yet in the tree.
type folding struct {
	key  []byte
	fold kv.Fold
}

func (a *applier) apply(o *op) {
	switch o.kind {
	case opSet:
		a.drop(o.key)
		a.set(o.key, o.val)
	case opDelete:
		a.drop(o.key)
		a.remove(o.key)
	case opDeleteRange:
		a.settle()
		a.removeRange(o.key, o.val)
	case opMerge:
		if i, ok := a.at[string(o.key)]; ok {
			a.folds[i].fold.Newer(o.val)
			return
		}
		if a.at == nil {
			a.at = make(map[string]int)
		}
		a.at[string(o.key)] = len(a.folds)
		a.folds = append(a.folds, folding{o.key, a.schema.NewFold(o.key, o.val)})
	}
}

// drop forgets the operands of a key: a newer operation makes them void.
func (a *applier) drop(key []byte) {
	if i, ok := a.at[string(key)]; ok {
		a.folds[i].fold = nil
		delete(a.at, string(key))
	}
}

// settle puts what is folded into the tree.
func (a *applier) settle() {
	for _, f := range a.folds {
		if f.fold == nil {
			continue
		}
		if old, ok := a.tree.Get(&item{key: f.key}); ok {
			f.fold.Older(old.val)
		}
		a.set(f.key, present(f.fold.Finish(true)))
	}
	a.folds = a.folds[:0]
	clear(a.at)
}

// present returns v, not nil: a key with an empty value has one.
func present(v []byte) []byte {
	if v == nil {
		return []byte{}
	}
	return v
}
