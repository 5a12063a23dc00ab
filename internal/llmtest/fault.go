package llmtest

import (
	"encoding/binary"
	"hash/fnv"
	"time"
)

// Failure is a way to fail.
type Failure string

// The failures.
const (
	TooMany      Failure = "429"           // with Retry-After
	ServerError  Failure = "500"           //
	Unavailable  Failure = "503"           // with Retry-After if the fault has one
	Unauthorized Failure = "401"           //
	Forbidden    Failure = "403"           //
	NotFound     Failure = "404"           //
	Refused      Failure = "400"           // the context is too long
	Invalid      Failure = "400-invalid"   // something is wrong with the request
	NoQuota      Failure = "no-quota"      // 429 that will not go away
	Hangup       Failure = "hangup"        // the connection is closed without an answer
	Stall        Failure = "stall"         // nothing comes; of a stream, after half
	Cut          Failure = "cut"           // half of the answer, then the connection is closed
	Short        Failure = "short"         // a stream ends after half, as if that were all
	NotJSON      Failure = "not-json"      // status 200 and a page of HTML
	BadJSON      Failure = "bad-json"      // the model's text is broken JSON
	AtLimit      Failure = "at-limit"      // the first half of the model's text, which met its limit
	Prose        Failure = "prose"         // the model's text is JSON between other words, in a fence
	Empty        Failure = "empty"         // the model's text is empty
	NoChoice     Failure = "no-choice"     // there is no text at all, and no vector
	Think        Failure = "think"         // reasoning before the text
	OnlyThink    Failure = "only-think"    // reasoning that does not end
	Slow         Failure = "slow"          // a right answer, late
	WrongDim     Failure = "wrong-dim"     // one vector has a component too many
	ZeroVector   Failure = "zero-vector"   // one vector is zero
	NaNVector    Failure = "nan-vector"    // one vector has a NaN, which is not JSON
	NoVector     Failure = "no-vector"     // one vector is missing
	Shuffled     Failure = "shuffled"      // vectors in another order, with right indexes
	NoIndex      Failure = "no-index"      // vectors without indexes
	Redirect     Failure = "redirect"      // to another path
	LimitHeaders Failure = "limit-headers" // a right answer that says that nothing is left of the limit
)

// Fault is a part of the plan of failures.
type Fault struct {
	Failure Failure
	// Share is the part of the requests that it hits, from 0 to 1.
	Share float64
	// At are the requests that it hits by their number from 0, of those that
	// the fault may hit.
	At []int
	// First hits that many requests.
	First int
	// On is "chat" or "embeddings", "" for both.
	On string
	// Text hits only requests whose body has it.
	Text string
	// RetryAfter is what 429 and 503 ask to wait for. Seconds are whole; Date
	// writes it as a date.
	RetryAfter time.Duration
	Date       bool
	// Delay is how late a slow answer is, and each piece of a stream; 0 is 50
	// milliseconds.
	Delay time.Duration
}

// delay returns how late a slow answer is.
func (f *Fault) delay() time.Duration {
	if f.Delay == 0 {
		return 50 * time.Millisecond
	}
	return f.Delay
}

// hits reports whether a fault hits the n-th request that it may, whose body
// has a digest and comes for the given time.
func (f *Fault) hits(seed uint64, place, n, times int, digest [32]byte) bool {
	if n < f.First {
		return true
	}
	for _, at := range f.At {
		if at == n {
			return true
		}
	}
	if f.Share <= 0 {
		return false
	}
	h := fnv.New64a()
	var b [24]byte
	binary.LittleEndian.PutUint64(b[:], seed)
	binary.LittleEndian.PutUint64(b[8:], uint64(place))
	binary.LittleEndian.PutUint64(b[16:], uint64(times))
	h.Write(b[:])
	h.Write(digest[:])
	return float64(mix(h.Sum64())>>11)/(1<<53) < f.Share
}

// mix spreads the bits of a hash.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
