package cypher

import (
	crand "crypto/rand"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
)

// randomFunctions differ from call to call.
var randomFunctions = []function{
	{name: "rand", params: "", volatile: true, call: callRand},
	{name: "randomUUID", params: "", volatile: true, call: callRandomUUID},
}

// random returns the session's source of random numbers. Without a seed it begins
// anywhere.
func (s *Session) random() *rand.ChaCha8 {
	if s.source == nil {
		var seed [32]byte
		if s.opts.Seed != 0 {
			binary.LittleEndian.PutUint64(seed[:], uint64(s.opts.Seed))
		} else {
			crand.Read(seed[:]) // it never fails
		}
		s.source = rand.NewChaCha8(seed)
	}
	return s.source
}

// source returns the source of random numbers of the session, and in an expression
// without one a source of its own.
func (x *exec) source() *rand.ChaCha8 {
	if x.session == nil {
		x.session = &Session{}
	}
	return x.session.random()
}

// callRand returns a float from 0 up to 1, which it never is.
func callRand(x *exec, _ Pos, _ []Value) (Value, error) {
	return Float(float64(x.source().Uint64()>>11) / (1 << 53)), nil
}

// callRandomUUID returns a UUID of version 4.
func callRandomUUID(x *exec, _ Pos, _ []Value) (Value, error) {
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:8], x.source().Uint64())
	binary.LittleEndian.PutUint64(b[8:], x.source().Uint64())
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return String(fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])), nil
}

// isVolatile reports whether an expression may have another value each time.
func isVolatile(e expr) bool {
	found := false
	walkExpr(e, func(part expr) bool {
		if f, ok := part.(*funcCall); ok {
			fn := functionsByName[strings.ToLower(f.Name)]
			found = found || fn != nil && fn.volatile
		}
		return !found
	})
	return found
}
