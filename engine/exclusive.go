package engine

import "context"

// Exclusive waits until no other caller of Exclusive holds the namespace, or until ctx
// ends, and holds it until release is called. It keeps work that takes many
// transactions, such as an index run, apart from other such work. Transactions and
// snapshots do not wait for it, and a caller that holds the namespace must not ask for
// it again. The error is that of ctx, or [ErrClosed].
func (n *Namespace) Exclusive(ctx context.Context) (release func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, phase.Errorf("namespace %s: %w", n.name, err)
	}
	n.db.mu.Lock()
	if n.db.closed {
		n.db.mu.Unlock()
		return nil, phase.Errorf("namespace %s: %w", n.name, ErrClosed)
	}
	held := n.db.held[n.id]
	if held == nil {
		held = make(chan struct{}, 1)
		if n.db.held == nil {
			n.db.held = map[uint32]chan struct{}{}
		}
		n.db.held[n.id] = held
	}
	n.db.mu.Unlock()
	select {
	case held <- struct{}{}:
		return func() { <-held }, nil
	case <-ctx.Done():
		return nil, phase.Errorf("namespace %s: %w", n.name, ctx.Err())
	}
}
