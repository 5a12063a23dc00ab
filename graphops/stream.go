package graphops

import "math/bits"

// stream is a sequence of random numbers (splitmix64) that its key alone
// decides: each piece of work has a stream of its own, keyed by the seed and
// by what the piece is, so that results depend neither on the order in which
// pieces are done nor on the machine.
type stream struct{ state uint64 }

// golden is the increment of splitmix64: 2^64 over the golden ratio.
const golden = 0x9e3779b97f4a7c15

// newStream returns the stream of a key: the seed, then what it is for.
func newStream(key ...uint64) stream {
	s := stream{}
	for _, k := range key {
		s.state = mix(s.state + golden + mix(k+golden))
	}
	return s
}

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// next returns 64 random bits.
func (s *stream) next() uint64 {
	s.state += golden
	return mix(s.state)
}

// below returns a number below n, which must not be 0. It is biased by less
// than n/2^64.
func (s *stream) below(n uint64) uint64 {
	hi, _ := bits.Mul64(s.next(), n)
	return hi
}

// float returns a number in [0, 1) of 53 bits.
func (s *stream) float() float64 { return float64(s.next()>>11) * (1.0 / (1 << 53)) }

// normal returns a number of mean 0 and variance 1 whose distribution is close
// to the normal one: the sum of twelve uniform ones, which needs no function
// that machines compute differently. It lies within 6 of 0.
func (s *stream) normal() float64 {
	sum := -6.0
	for range 12 {
		sum += s.float()
	}
	return sum
}

// shuffle brings the elements into random order (Fisher and Yates).
func shuffle[T any](s *stream, x []T) {
	for i := len(x) - 1; i > 0; i-- {
		j := s.below(uint64(i + 1))
		x[i], x[j] = x[j], x[i]
	}
}
