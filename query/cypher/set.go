package cypher

// setItem is an item of SET or REMOVE.
type setItem struct {
	at     Pos
	target evaluator
	name   string    // of the property; "" for all
	value  evaluator // nil removes
	add    bool      // +=: properties that the map lacks stay

	labels []string // to give to a node, or with remove to take from it
	remove bool

	variable string     // the variable that is the target, "" for another expression
	more     []*setItem // other properties of it, set at once
}

// setItems compiles the items of SET.
func (pl *planner) setItems(items []*setClauseItem) ([]*setItem, error) {
	var out []*setItem
	for _, item := range items {
		if item.Labels != nil {
			s, err := pl.labelItem(item.Target, item.Labels, item.Pos)
			if err == nil {
				err = pl.newLabels(item.Labels, item.Pos)
			}
			if err != nil {
				return nil, err
			}
			out = append(out, s)
			continue
		}
		if named := eachProperty(item); named != nil {
			items, err := pl.setItems(named)
			if err != nil {
				return nil, err
			}
			out = append(out, items...)
			continue
		}
		s, err := pl.setTarget(item.Target, item.Pos)
		if err != nil {
			return nil, err
		}
		s.add = item.Add
		if s.value, err = pl.expr(item.Value); err != nil {
			return nil, err
		}
		if _, ok := item.Target.(*property); !ok || !independent(item.Value) {
			s.variable = ""
		}
		out = append(out, s)
	}
	return out, nil
}

// labelItem compiles an item that changes labels.
func (pl *planner) labelItem(target expr, labels []string, at Pos) (s *setItem, err error) {
	s = &setItem{at: at, labels: labels}
	s.target, err = pl.expr(target)
	return s, err
}

// eachProperty expands += of a map literal into one item for each entry. It
// returns nil for other items.
func eachProperty(item *setClauseItem) []*setClauseItem {
	m, ok := item.Value.(*mapLit)
	if _, whole := item.Target.(*variable); !whole || !ok || !item.Add || !independent(m) {
		return nil
	}
	seen := map[string]bool{}
	var out []*setClauseItem
	for i, name := range m.Keys {
		if seen[name] {
			return nil // the last one counts
		}
		seen[name] = true
		out = append(out, &setClauseItem{Pos: item.Pos, Target: &property{Pos: item.Pos, X: item.Target, Name: name}, Value: m.Values[i]})
	}
	return out
}

// independent reports whether the value of an expression does not depend on
// earlier SET items.
func independent(e expr) bool {
	ok := true
	walkExpr(e, func(e expr) bool {
		switch e.(type) {
		case *literal, *param, *unaryExpr, *binaryExpr, *listLit, *mapLit:
		default:
			ok = false
		}
		return ok
	})
	return ok
}

// together puts items that follow each other and set different properties of
// one variable into one, which writes it once. Their values do not hang on each
// other.
func together(items []*setItem) []*setItem {
	var out []*setItem
	names := map[string]bool{}
	for _, s := range items {
		s.more = nil
		if n := len(out); n > 0 && s.variable != "" && out[n-1].variable == s.variable && !names[s.name] {
			out[n-1].more = append(out[n-1].more, s)
		} else {
			clear(names)
			out = append(out, s)
		}
		names[s.name] = true
	}
	return out
}

// setTarget compiles the target of SET or REMOVE.
func (pl *planner) setTarget(target expr, at Pos) (s *setItem, err error) {
	s = &setItem{at: at}
	if p, ok := target.(*property); ok {
		s.name, target = p.Name, p.X
	}
	if v, ok := target.(*variable); ok && s.name != "" {
		s.variable = v.Name
	}
	s.target, err = pl.expr(target)
	return s, err
}

// apply changes a node or an edge; null has nothing to change.
func (s *setItem) apply(x *exec, r row) error {
	t, err := s.target(x, r)
	if err != nil {
		return err
	}
	if t.Kind() == KindNull {
		return nil
	}
	if s.labels != nil {
		if t.Kind() != KindNode {
			return typeError(s.at, "labels are those of nodes, not of %s", aKind(t))
		}
		return writer{x, s.at}.changeLabels(t.AsNode(), s.labels, !s.remove)
	}
	if t.Kind() != KindNode && t.Kind() != KindEdge {
		return typeError(s.at, "properties are set of nodes and edges, not of %s", aKind(t))
	}
	v := Null
	if s.value != nil {
		if v, err = s.value(x, r); err != nil {
			return err
		}
	}
	props := map[string]Value{s.name: v}
	if s.name == "" {
		if props, err = s.all(x, t, v); err != nil {
			return err
		}
	}
	for _, other := range s.more {
		v := Null
		if other.value != nil {
			if v, err = other.value(x, r); err != nil {
				return err
			}
		}
		props[other.name] = v
		if err := x.tick(); err != nil {
			return err
		}
	}
	w := writer{x, s.at}
	if t.Kind() == KindNode {
		return w.setNode(t.AsNode(), props)
	}
	return w.setEdge(t.AsEdge(), props)
}

// all returns the changes that make the properties of a map, a node or an edge
// those of the target.
func (s *setItem) all(x *exec, t, v Value) (map[string]Value, error) {
	from, ok, err := propertiesOf(v)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, typeError(s.at, "all properties are set from a map, a node or an edge, not from %s", aKind(v))
	}
	out := map[string]Value{}
	if !s.add {
		have, _, err := propertiesOf(t)
		if err != nil {
			return nil, err
		}
		for name := range have {
			if name != propKey {
				out[name] = Null
			}
		}
	}
	for name, value := range from {
		if v.Kind() == KindNode && name == propKey {
			continue // each node has its own
		}
		out[name] = value
	}
	return out, nil
}

// setStep applies items to each row.
type setStep struct {
	planned
	items []*setItem
	alike bool // the values do not hang on what is set
}

func (pl *planner) set(c *setClause) error {
	items, err := pl.setItems(c.Items)
	if err != nil {
		return err
	}
	s := &setStep{items: items, alike: alike(items)}
	s.describe("Set")
	pl.add(s)
	return nil
}

func (pl *planner) remove(c *removeClause) error {
	s := &setStep{}
	for _, item := range c.Items {
		if item.Labels != nil {
			t, err := pl.labelItem(item.Target, item.Labels, item.Pos)
			if err != nil {
				return err
			}
			t.remove = true
			s.items = append(s.items, t)
			continue
		}
		t, err := pl.setTarget(item.Target, item.Pos)
		if err != nil {
			return err
		}
		s.items = append(s.items, t)
	}
	s.describe("Remove")
	pl.add(s)
	return nil
}

// joins adds the items of a SET to the SET directly before it, if no value
// depends on the properties set before.
func (pl *planner) joins(c *setClause) bool {
	if len(pl.steps) == 0 {
		return false
	}
	s, ok := pl.steps[len(pl.steps)-1].(*setStep)
	if !ok || !s.alike {
		return false
	}
	items, err := pl.setItems(c.Items)
	if err != nil || !alike(items) {
		return false
	}
	s.items = append(s.items, items...)
	return true
}

// alike reports whether items set properties of variables to values that do not
// depend on the properties set before.
func alike(items []*setItem) bool {
	for _, s := range items {
		if s.variable == "" {
			return false
		}
	}
	return true
}

func (s *setStep) open(x *exec, next sink) sink {
	items := together(s.items)
	return stream(next, func(r row) error {
		if err := x.tick(); err != nil {
			return err
		}
		for _, item := range items {
			if err := item.apply(x, r); err != nil {
				return err
			}
		}
		return next.push(r)
	})
}
