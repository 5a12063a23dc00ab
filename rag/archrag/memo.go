package archrag

import (
	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/internal/knowledge"
)

// memo keeps what is read of entities and relations that several communities
// tell of. It is safe for concurrent use.
type memo struct {
	named graph.Memo[engine.NodeID, named]
	texts graph.Memo[[2]engine.NodeID, string] // of an entity and 0, or of a relation's ends
}

// named is what an entity is called and how many relations it has.
type named struct {
	name   string
	degree int
}

// memoText bounds the texts of a memo in bytes.
const memoText = 64 << 20

func newMemo() *memo {
	return &memo{texts: graph.Memo[[2]engine.NodeID, string]{Most: memoText, Size: func(s string) int { return len(s) }}}
}

// about returns what an entity is called and its degree.
func (m *memo) about(v engine.Reader, id engine.NodeID) (named, error) {
	return m.named.Get(id, func() (n named, err error) {
		f := engine.EdgeFilter{}
		if typ, ok := v.EdgeType(edgeRelation); ok {
			f.Types = []engine.EdgeType{typ}
		}
		if n.name, err = knowledge.Name(v, id); err != nil {
			return n, err
		}
		n.degree, err = v.Degree(id, f)
		return n, err
	})
}
