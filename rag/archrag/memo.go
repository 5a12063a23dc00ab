package archrag

import (
	"sync"

	"github.com/ragdb/ragdb/engine"
)

// memo keeps what is read of entities and relations that several communities
// tell of. It is safe for concurrent use.
type memo struct {
	mu    sync.Mutex
	named map[engine.NodeID]named
	texts map[[2]engine.NodeID]string // of an entity and 0, or of a relation's ends
	left  int                         // bytes of texts that may still be kept
}

// named is what an entity is called and how many relations it has.
type named struct {
	name   string
	degree int
}

// memoText bounds the texts of a memo in bytes.
const memoText = 64 << 20

func newMemo() *memo {
	return &memo{named: map[engine.NodeID]named{}, texts: map[[2]engine.NodeID]string{}, left: memoText}
}

// about returns what an entity is called and its degree.
func (m *memo) about(v engine.Reader, id engine.NodeID) (n named, err error) {
	m.mu.Lock()
	n, ok := m.named[id]
	m.mu.Unlock()
	if ok {
		return n, nil
	}
	f := engine.EdgeFilter{}
	if typ, ok := v.EdgeType(edgeRelation); ok {
		f.Types = []engine.EdgeType{typ}
	}
	if n.name, err = entityName(v, id); err != nil {
		return n, err
	}
	if n.degree, err = v.Degree(id, f); err != nil {
		return n, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.named[id] = n
	return n, nil
}

// text returns what is said of an entity or a relation, by read where it is not
// kept.
func (m *memo) text(of [2]engine.NodeID, read func() (string, error)) (string, error) {
	m.mu.Lock()
	text, ok := m.texts[of]
	m.mu.Unlock()
	if ok {
		return text, nil
	}
	text, err := read()
	if err != nil {
		return "", err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(text) <= m.left {
		m.left -= len(text)
		m.texts[of] = text
	}
	return text, nil
}
