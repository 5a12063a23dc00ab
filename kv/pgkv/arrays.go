package pgkv

import "encoding/binary"

const byteaOID = 17

// lotBytes bounds the arrays of one message. CockroachDB takes messages of 16 MiB.
const lotBytes = 4 << 20

// array returns a bytea[] in the binary format: the number of dimensions, whether there
// are nulls, the type, the length and the first index of the dimension, and then each
// value after its length.
func array(n int, at func(i int) []byte) []byte {
	size := 20
	for i := range n {
		size += 4 + len(at(i))
	}
	b := make([]byte, 0, size)
	b = binary.BigEndian.AppendUint32(b, 1)
	b = binary.BigEndian.AppendUint32(b, 0)
	b = binary.BigEndian.AppendUint32(b, byteaOID)
	b = binary.BigEndian.AppendUint32(b, uint32(n))
	b = binary.BigEndian.AppendUint32(b, 1)
	for i := range n {
		v := at(i)
		b = binary.BigEndian.AppendUint32(b, uint32(len(v)))
		b = append(b, v...)
	}
	return b
}

// lots calls fn for parts of n things, each of about lotBytes at most.
func lots(n int, size func(i int) int, fn func(from, to int)) {
	for from := 0; from < n; {
		to, sum := from, 0
		for to < n && (to == from || sum+size(to) <= lotBytes) {
			sum += size(to) + 8
			to++
		}
		fn(from, to)
		from = to
	}
}

// keyLots calls fn with the arrays of parts of keys.
func keyLots(keys [][]byte, fn func(lot []byte)) {
	lots(len(keys), func(i int) int { return len(keys[i]) }, func(from, to int) {
		fn(array(to-from, func(i int) []byte { return keys[from+i] }))
	})
}

// number returns a bigint in the binary format.
func number(n int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

// plain returns b as a parameter, where nil is NULL.
func plain(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
