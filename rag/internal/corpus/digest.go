package corpus

import (
	"crypto/sha256"
	"encoding/binary"
)

// Digest returns the SHA-256 of some parts, each closed off from the next.
func Digest(parts ...string) (out [32]byte) {
	h := sha256.New()
	var n [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write([]byte(p))
	}
	h.Sum(out[:0])
	return out
}
