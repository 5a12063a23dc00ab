package cypher

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/memory"
)

// Limits bound a statement. Zero values are the defaults.
type Limits struct {
	// Rows bounds the rows of a result; the default is 1,000,000.
	Rows int
	// Bytes bounds the memory that the statement holds: groups, rows that are
	// sorted, distinct rows, collected lists, rows before a clause that writes.
	// The default is half of the database's memory budget, from which all statements
	// draw: one that finds it used waits for others for up to ten seconds, and is
	// refused with [engine.ErrBusy] then.
	Bytes int64
	// Timeout bounds the time of the statement. If it is 0, there is no bound.
	Timeout time.Duration
}

// defaultRows is the default of [Limits].Rows.
const defaultRows = 1_000_000

func (l Limits) withDefaults(db *engine.DB) Limits {
	if l.Rows <= 0 {
		l.Rows = defaultRows
	}
	if l.Bytes <= 0 {
		l.Bytes = db.MemoryBudget() / 2
	}
	return l
}

// ErrLimit is the kind of error of a statement that exceeds one of its
// [Limits]. The error is a [*LimitError].
var ErrLimit = errors.New("over the limit of a statement")

// LimitError is the limit that ended a statement.
type LimitError struct {
	What  string // rows, bytes, memory or time
	Limit string // with its unit
}

// Error names the limit and suggests a remedy.
func (e *LimitError) Error() string {
	switch e.What {
	case "rows":
		return fmt.Sprintf("the result has more than %s; end it with LIMIT, or raise the limit", e.Limit)
	case "bytes":
		return fmt.Sprintf("the statement holds more than %s of rows in memory; match less, aggregate earlier, or raise the limit", e.Limit)
	case "memory":
		return fmt.Sprintf("the statement needs more than the %s that the memory budget has left; match less, aggregate earlier, or raise the budget", e.Limit)
	}
	return fmt.Sprintf("the statement took longer than %s", e.Limit)
}

// Is reports whether target is [ErrLimit].
func (e *LimitError) Is(target error) bool { return target == ErrLimit }

// errTimeout is the cause of a context that Limits.Timeout ended.
var errTimeout = errors.New("timeout")

// interrupted returns the reason to end the statement now, or nil.
func (x *exec) interrupted() error {
	err := x.ctx.Err()
	if err != nil && context.Cause(x.ctx) == errTimeout {
		return &LimitError{"time", x.limits.Timeout.String()}
	}
	return err
}

// hold counts bytes that the statement keeps.
func (x *exec) hold(bytes int64) error {
	x.held += bytes
	if x.limits.Bytes > 0 && x.held > x.limits.Bytes {
		return &LimitError{"bytes", byteSize(x.limits.Bytes)}
	}
	return x.draw()
}

// largeValue is the size of a value, in bytes, from which it counts while a row carries it
// through the steps. Few rows are under way at once.
const largeValue = 64 << 10

// carry draws memory for the large ones of some values of a row, which carries them from now
// on. The caller takes the returned number off x.carried when it is done with the row.
func (x *exec) carry(r row, places []int) (n int64, err error) {
	for _, i := range places {
		if m := r[i].memory(); m >= largeValue {
			n += m
		}
	}
	if n == 0 {
		return 0, nil
	}
	x.carried += n
	return n, x.draw()
}

// draw has the statement's share of the memory budget be no less than what it keeps,
// carries and builds.
func (x *exec) draw() error {
	more := x.held + x.carried + x.eval.bytes - x.share.Used()
	if more <= 0 || x.share == nil {
		return nil
	}
	return x.result.draw(more)
}

// draw draws more from the memory budget.
func (r *Result) draw(bytes int64) error {
	err := r.share.Grow(r.ctx, bytes)
	var over *memory.OverError
	if errors.As(err, &over) {
		return &LimitError{"memory", byteSize(over.Limit)}
	}
	return err
}

// byteSize writes a number of bytes for people.
func byteSize(n int64) string {
	switch {
	case n >= 10<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 10<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// keep returns a copy of a row and counts its memory.
func (x *exec) keep(r row) (row, error) {
	n := int64(24)
	for _, v := range r {
		n += v.memory()
	}
	if err := x.hold(n); err != nil {
		return nil, err
	}
	return append(make(row, 0, len(r)), r...), nil
}
