package cypher

// carried are the variables from around a query, which it sees in all its clauses. Their
// values are those of the row that the query runs for.
type carried struct {
	names  []string
	values []Value
}

// carriedPlaces are places of a row that hold carried values.
type carriedPlaces struct {
	of *carried
	to []int // by variable; -1 for those that the row has as columns
}

// has reports whether a variable is one of them.
func (c *carried) has(name string) bool {
	if c != nil {
		for _, n := range c.names {
			if n == name {
				return true
			}
		}
	}
	return false
}

// into gives the variables places in a scope, if it has not got them.
func (c *carried) into(s *segment) carriedPlaces {
	p := carriedPlaces{of: c}
	if c == nil {
		return p
	}
	for _, name := range c.names {
		at := -1
		if _, ok := s.slot(name); !ok {
			at = s.add(name)
		}
		p.to = append(p.to, at)
	}
	return p
}

// fill sets the places in a row.
func (p carriedPlaces) fill(r row) {
	for i, at := range p.to {
		if at >= 0 {
			r[at] = p.of.values[i]
		}
	}
}
