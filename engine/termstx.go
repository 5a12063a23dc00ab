package engine

import "github.com/ragdb/ragdb/internal/layout"

// txTerms are the terms that a transaction writes in a graph.
type txTerms struct {
	buffer termBuffer
	bytes  int // of the buffer
	listed map[uint32]*listedNodes

	list    nodeTerms // of the node at work
	forward []byte
}

// listedNodes tell for a field which nodes surely have no forward list: those with
// ids beyond all that have one.
type listedNodes struct {
	puts  int    // lists that were looked for
	known bool   // last is known
	last  uint64 // the last node that had a list before the transaction, 0 if none
	put   uint64 // the last node to which the transaction gave one
}

// listedPuts is how many lists of a field a transaction looks for before it asks
// which is the last one, which costs as much as some of them.
const listedPuts = 16

// unlisted reports whether it is known that a node has no terms in a field. The
// caller gives it some.
func (v *TxView) unlisted(field uint32, id uint64) (bool, error) {
	l := v.terms.listed[field]
	if l == nil {
		if v.terms.listed == nil {
			v.terms.listed = map[uint32]*listedNodes{}
		}
		l = &listedNodes{}
		v.terms.listed[field] = l
	}
	if l.puts++; l.puts == listedPuts {
		if err := v.findListed(field, l); err != nil {
			return false, err
		}
	}
	isNew := l.known && id > l.last && id > l.put
	l.put = max(l.put, id)
	return isNew, nil
}

// findListed finds the last node that had terms in a field before the transaction.
func (v *TxView) findListed(field uint32, l *listedNodes) (err error) {
	prefix := fieldTerms(v.g, field)
	it, err := v.transact.base.Iter(v.ctx, prefix, layout.Next(prefix))
	if err != nil {
		return err
	}
	defer func() { err = firstError(err, it.Err(), it.Close()) }()
	if it.Last() {
		_, l.last = layout.TermsOfID(it.Key())
	}
	l.known = true
	return nil
}

// fresh reports whether it is known that no node of a container had terms in a
// field before the transaction: what the transaction writes is then all.
func (v *TxView) fresh(field uint32, container uint64) bool {
	l := v.terms.listed[field]
	return l != nil && l.known && (l.last == 0 || container > layout.Container(l.last))
}
