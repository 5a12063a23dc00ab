package main

// draw is a sequence of random numbers that the peers draw alike.
type draw uint64

// below returns the next number below n.
func (d *draw) below(n int) uint32 {
	*d = *d*6364136223846793005 + 1442695040888963407
	return uint32(uint64(*d>>33) % uint64(n))
}

// sourcesState is the state that the sources of betweenness are drawn from,
// whatever the seed, so that engines agree.
const sourcesState draw = 12345
