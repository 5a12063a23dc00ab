package runs

// New returns segments without items.
func New(o Options) (*Segments, error) { return Restore(o, State{Next: 1}) }

// State returns all segments.
func (s *Segments) State() State {
	st := State{Next: s.next, Segments: make([]Segment, len(s.order))}
	for i, g := range s.order {
		st.Segments[i] = s.export(g)
	}
	return st
}

// Len returns the number of segments.
func (s *Segments) Len() int { return len(s.order) }

// Items returns the number of items.
func (s *Segments) Items() int { return len(s.of) }

// Of returns the number of the segment that an item is in.
func (s *Segments) Of(item uint64) (id uint64, ok bool) {
	place, ok := s.of[item]
	if !ok {
		return 0, false
	}
	return place.in.id, true
}
