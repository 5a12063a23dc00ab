package cypher

// rowBound is the argument of SKIP or LIMIT.
type rowBound struct {
	at     Pos
	clause string
	value  evaluator
}

// rows evaluates the bound. If there is none, it is 0.
func (b *rowBound) rows(x *exec) (int64, error) {
	if b == nil {
		return 0, nil
	}
	v, err := b.value(x, nil)
	if err != nil {
		return 0, err
	}
	switch {
	case v.kind != KindInt:
		return 0, evalError(b.at, codeSyntax, "InvalidArgumentType", "%s takes a whole number of at least 0, not %s", b.clause, v)
	case v.AsInt() < 0:
		return 0, evalError(b.at, codeSyntax, "NegativeIntegerArgument", "%s takes a whole number of at least 0, not %s", b.clause, v)
	}
	return v.AsInt(), nil
}

// skipStep leaves out the first rows.
type skipStep struct {
	planned
	n *rowBound
}

func (s *skipStep) open(x *exec, next sink) sink {
	left := int64(-1)
	return stream(next, func(r row) error {
		if left < 0 {
			n, err := s.n.rows(x)
			if err != nil {
				return err
			}
			left = n
		}
		if left > 0 {
			left--
			return x.tick()
		}
		return next.push(r)
	})
}

// limitStep lets the first rows pass and then ends the steps before it.
type limitStep struct {
	planned
	n *rowBound
	// all is set if the steps before it write and must run to their end.
	all bool
}

func (s *limitStep) open(x *exec, next sink) sink {
	left := int64(-1)
	end := func() error {
		if s.all {
			return nil
		}
		return errEnough
	}
	return stream(next, func(r row) error {
		if left < 0 {
			n, err := s.n.rows(x)
			if err != nil {
				return err
			}
			left = n
		}
		if left == 0 {
			return end()
		}
		left--
		if err := next.push(r); err != nil {
			return err
		}
		if left == 0 {
			return end()
		}
		return nil
	})
}

// distinctStep passes the rows whose columns differ from those of all rows
// before.
type distinctStep struct {
	planned
	slots []int
}

// distinctBytes estimates the memory of a row in a set of distinct rows without
// its key.
const distinctBytes = 48

func (d *distinctStep) open(x *exec, next sink) sink {
	seen := map[string]struct{}{}
	var key []byte
	return stream(next, func(r row) error {
		key = key[:0]
		if err := x.tick(); err != nil {
			return err
		}
		for _, s := range d.slots {
			if err := x.work(r[s].weight()); err != nil {
				return err
			}
			key = r[s].appendKey(key)
		}
		if _, ok := seen[string(key)]; ok {
			return nil
		}
		if err := x.hold(int64(len(key)) + distinctBytes); err != nil {
			return err
		}
		seen[string(key)] = struct{}{}
		return next.push(r)
	})
}

// eagerStep keeps all rows before it lets the first one pass, so that the steps
// after it do not affect those before it.
type eagerStep struct{ planned }

// eager adds a step that separates matching from writing.
func (pl *planner) eager() {
	e := &eagerStep{}
	e.describe("Eager")
	pl.add(e)
}

func (e *eagerStep) open(x *exec, next sink) sink {
	var rows chunks[row]
	held := int64(0)
	push := func(r row) error {
		before := x.held
		kept, err := x.keep(r)
		rows.add(kept)
		held += x.held - before
		return err
	}
	done := func() error {
		if err := enough(rows.each(x, next.push)); err != nil {
			return err
		}
		x.held -= held
		return next.done()
	}
	return sink{push, done}
}
