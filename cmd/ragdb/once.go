package main

// once tells what was not said in the turn before. A nil once says everything.
type once struct{ before, now map[string]bool }

// turn begins a turn: what is not said in it may be said again in the next one.
func (o *once) turn() { o.before, o.now = o.now, map[string]bool{} }

// first reports whether a line is to be said, and notes it.
func (o *once) first(line string) bool {
	if o == nil {
		return true
	}
	said := o.before[line] || o.now[line]
	if o.now == nil {
		o.now = map[string]bool{}
	}
	o.now[line] = true
	return !said
}
