package local

// Dim is the number of dimensions of every vector of this package.
const Dim = 512

// hashName names the hash below. It is part of a stored table, which another
// hash cannot read.
const hashName = "fnv1a64-splitmix64.v1"

// slots is the number of components of a signature that are not 0.
const slots = 4

// A signature is the random vector of a word: it is +1/2 or -1/2 in four
// different dimensions and 0 elsewhere, so its length is 1.
type signature [slots]struct {
	dim  uint16
	sign int8 // +1 or -1
}

// signatureOf returns the signature of a term. It is a function of the bytes
// of the term only: FNV-1a (64 bits) seeds SplitMix64, each of whose numbers
// gives a dimension (low 9 bits) and a sign (the next bit). A dimension that
// is already taken is drawn again.
func signatureOf(term string) signature {
	state := uint64(0xcbf29ce484222325)
	for i := 0; i < len(term); i++ {
		state = (state ^ uint64(term[i])) * 0x100000001b3
	}
	var s signature
	for n := 0; n < slots; {
		state += 0x9e3779b97f4a7c15
		z := state
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		z ^= z >> 31
		dim, sign := uint16(z%Dim), int8(1)
		if z&Dim != 0 {
			sign = -1
		}
		if s.has(dim, n) {
			continue
		}
		s[n].dim, s[n].sign = dim, sign
		n++
	}
	return s
}

// has reports whether one of the first n slots lies in the dimension.
func (s *signature) has(dim uint16, n int) bool {
	for _, slot := range s[:n] {
		if slot.dim == dim {
			return true
		}
	}
	return false
}

// addTo adds w times the signature to v.
func (s *signature) addTo(v []float32, w float32) {
	for _, slot := range s {
		v[slot.dim] += float32(w * float32(slot.sign) / 2)
	}
}
