package pgkv

import (
	"context"
	"strings"
)

// exportState has the server keep the state of a transaction under a name, so that
// another transaction can see it. Only PostgreSQL does it.
const exportState = `SELECT pg_export_snapshot()`

// mayExport reports whether a call that had to wait should export the state.
func (v *view) mayExport() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return !v.alone && v.shared == ""
}

// export notes the name of the state. A name of other characters is not used, as it
// becomes a part of a statement.
func (v *view) export(name string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if strings.Trim(name, "0123456789ABCDEF-") != "" {
		v.alone = true
		return
	}
	v.shared = name
}

// join returns one more session that sees the state of the view, nil if there can be
// none: then the caller waits for one of the others. It does not take the last
// connection that another view could have.
func (v *view) join(ctx context.Context) *session {
	v.mu.Lock()
	name := v.shared
	if v.alone || name == "" || v.conns == shareConns || v.closed || len(v.t.pool.slots[forView]) >= cap(v.t.pool.slots[forView])-1 ||
		v.t.pool.enter(ctx, forView, false) != nil {
		v.mu.Unlock()
		return nil
	}
	v.conns++
	v.mu.Unlock()

	s, err := v.t.pool.get(ctx)
	if err == nil {
		_, _, err = s.exchange(ctx, step{do: beginView}, step{sql: "SET TRANSACTION SNAPSHOT '" + name + "'"})
		if err == nil {
			return s
		}
		if !s.conn.IsClosed() && s.conn.TxStatus() != 'I' {
			s.end()
		}
		v.t.pool.put(s)
	}
	v.t.pool.leave(forView)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.conns--
	v.alone = ctx.Err() == nil
	return nil
}
