package encoder

import (
	"math"

	"github.com/ragdb/ragdb/rag/llm/encoder/internal/kernel"
)

// block is how many queries of a text are attended together.
const block = 24

// hidden is the score of a column that stands for no token.
const hidden = -1e30

// attention computes for a text of count tokens, the first of which is row from
// of r.all, what its first tokens take from all: queries rows of r.attend.
func (n *network) attention(r *room, from, count, queries int) {
	wide := kernel.Padded(3 * n.Hidden)
	all := r.all[from*wide : (from+count)*wide]
	columns := kernel.Padded(count)
	var none, tail [kernel.Width]float32
	for i := range tail {
		if columns-kernel.Width+i >= count {
			tail[i] = hidden
		}
	}
	for h := range n.Heads {
		at := h * n.size
		packKeys(r.keys, all[n.Hidden+at:], wide, count, n.size)
		if n.relative {
			n.nearness(r.near[:2*count-1], h)
		}
		for q := 0; q < queries; q += block {
			rows := min(block, queries-q)
			for p := 0; p < columns; p += kernel.Width {
				bias := none[:]
				if p+kernel.Width == columns {
					bias = tail[:]
				}
				n.set.Block(r.scores[p:], columns, all[q*wide+at:], wide, rows, r.keys[p*n.size:], kernel.Width, n.size, bias)
			}
			for i := range rows {
				row := r.scores[i*columns:][:columns]
				if n.relative {
					// near[count-1] is the distance 0.
					for j, x := range r.near[count-1-q-i:][:count] {
						row[j] += x
					}
				}
				n.set.Softmax(row)
			}
			n.gather(r, all[2*n.Hidden+at:], count, rows, columns, r.attend[(from+q)*n.stride+at:], none[:])
		}
	}
}

// gather adds up the values of a head, weighted by the scores of rows queries.
func (n *network) gather(r *room, values []float32, count, rows, columns int, to, none []float32) {
	wide := kernel.Padded(3 * n.Hidden)
	if n.size%kernel.Width == 0 {
		for p := 0; p < n.size; p += kernel.Width {
			n.set.Block(to[p:], n.stride, r.scores, columns, rows, values[p:], wide, count, none)
		}
		return
	}
	// A panel would read and write beyond the head: it works on copies.
	size := kernel.Padded(n.size)
	for j := range count {
		copy(r.values[j*size:][:n.size], values[j*wide:])
	}
	for p := 0; p < size; p += kernel.Width {
		n.set.Block(r.sums[p:], size, r.scores, columns, rows, r.values[p:], size, count, none)
	}
	for i := range rows {
		copy(to[i*n.stride:][:n.size], r.sums[i*size:])
	}
}

// packKeys lays out the keys of a head as panels, each the keys of Width tokens,
// element by element.
func packKeys(panels, keys []float32, wide, count, size int) {
	for j := 0; j < count; j += kernel.Width {
		panel := panels[j*size:][:kernel.Width*size]
		n := min(kernel.Width, count-j)
		if n < kernel.Width {
			clear(panel)
		}
		i := 0
		for ; i+4 <= n; i += 4 {
			a, b := keys[(j+i)*wide:][:size], keys[(j+i+1)*wide:][:size]
			c, d := keys[(j+i+2)*wide:][:size], keys[(j+i+3)*wide:][:size]
			for k := range size {
				to := (*[4]float32)(panel[k*kernel.Width+i:])
				to[0], to[1], to[2], to[3] = a[k], b[k], c[k], d[k]
			}
		}
		for ; i < n; i++ {
			for k, x := range keys[(j+i)*wide:][:size] {
				panel[k*kernel.Width+i] = x
			}
		}
	}
}

// nearness writes what MPNet adds to a head's scores for each distance, from that
// of the first token to the last down to that of the last to the first.
func (n *network) nearness(near []float32, h int) {
	for i := range near {
		near[i] = n.distance[h][bucket(i-len(near)/2, n.Buckets)]
	}
}

// bucket is the row of MPNet's table for a key that stands distance tokens
// behind the query: small distances have one each, larger ones share them by
// their logarithm. It is worked out in float32, as the models were trained.
func bucket(distance, buckets int) int {
	const far = 128
	half := buckets / 2
	first := 0
	if distance > 0 {
		first = half
	}
	distance = max(distance, -distance)
	exact := half / 2
	if distance < exact {
		return first + distance
	}
	log := float32(math.Log(float64(float32(distance) / float32(exact))))
	part := log / float32(math.Log(far/float64(exact))) * float32(half-exact)
	return first + min(exact+int(part), half-1)
}
