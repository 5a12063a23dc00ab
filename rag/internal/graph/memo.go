package graph

import "sync"

// Memo keeps what was read, for a stage that meets the same again and again. The
// zero value is ready. It is safe for concurrent use; callers who ask at once for
// what is not there each read it.
type Memo[K comparable, V any] struct {
	// Most bounds the sum of the sizes of what is kept, which Size tells; 0
	// keeps all.
	Most int
	Size func(V) int

	mu    sync.Mutex
	known map[K]V
	held  int
}

// Get returns what is kept of k, else what read returns, which it then keeps.
func (m *Memo[K, V]) Get(k K, read func() (V, error)) (V, error) {
	m.mu.Lock()
	v, ok := m.known[k]
	m.mu.Unlock()
	if ok {
		return v, nil
	}
	v, err := read()
	if err != nil {
		return v, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.Most > 0 {
		size := m.Size(v)
		if m.held+size > m.Most {
			return v, nil
		}
		m.held += size
	}
	if m.known == nil {
		m.known = map[K]V{}
	}
	m.known[k] = v
	return v, nil
}
