package encoder

import (
	"fmt"
	"hash"
	"math"

	"github.com/ragdb/ragdb/rag/llm/encoder/internal/kernel"
	"github.com/ragdb/ragdb/rag/llm/encoder/internal/safetensors"
)

// weights reads the tensors of a model, checks their shapes and that every
// number is finite, and takes their sum for the model's name. The first fault
// stays in err, and what is read after it is of no use.
type weights struct {
	file   *safetensors.File
	prefix string // before every name
	set    kernel.Set
	int8   bool
	sum    uint64
	err    error
}

func (w *weights) fail(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf("%w: "+format, append([]any{ErrModel}, args...)...)
	}
}

// has reports whether there is a tensor of the name.
func (w *weights) has(name string) bool {
	_, ok := w.file.Tensor(w.prefix + name)
	return ok
}

// tensor finds a tensor of the shape.
func (w *weights) tensor(name string, shape ...int) (safetensors.Tensor, bool) {
	t, ok := w.file.Tensor(w.prefix + name)
	if !ok {
		w.fail("model.safetensors has no tensor %s", w.prefix+name)
		return t, false
	}
	same := len(t.Shape) == len(shape)
	for i := range min(len(shape), len(t.Shape)) {
		same = same && shape[i] == t.Shape[i]
	}
	switch {
	case !same:
		w.fail("tensor %s has the shape %v, and %v belongs to the config", w.prefix+name, t.Shape, shape)
	case !t.Float():
		w.fail("tensor %s has the type %s, and F32, F16, BF16 and F64 are read", w.prefix+name, t.Type)
	default:
		return t, true
	}
	return t, false
}

// note checks numbers that were read and adds them to the sum.
func (w *weights) note(name string, v []float32) {
	const exponent, factor = 0x7f800000, 0x9e3779b97f4a7c15
	bad := uint32(0)
	var sums [4]uint64 // which do not wait for one another
	for len(v) >= 4 {
		a, b, c, d := math.Float32bits(v[0]), math.Float32bits(v[1]), math.Float32bits(v[2]), math.Float32bits(v[3])
		if a&exponent == exponent || b&exponent == exponent || c&exponent == exponent || d&exponent == exponent {
			bad = 1
		}
		sums[0], sums[1] = sums[0]*factor+uint64(a), sums[1]*factor+uint64(b)
		sums[2], sums[3] = sums[2]*factor+uint64(c), sums[3]*factor+uint64(d)
		v = v[4:]
	}
	for _, x := range v {
		bits := math.Float32bits(x)
		if bits&exponent == exponent {
			bad = 1
		}
		sums[0] = sums[0]*factor + uint64(bits)
	}
	for _, s := range sums {
		w.sum = w.sum*factor + s
	}
	if bad != 0 {
		w.fail("tensor %s holds a number that is infinite or none at all", w.prefix+name)
	}
}

// vector reads a tensor of n numbers, padded with zeros.
func (w *weights) vector(name string, n int) []float32 {
	t, ok := w.tensor(name, n)
	if !ok {
		return nil
	}
	v := make([]float32, kernel.Padded(n))
	t.Floats(v[:n], 0)
	w.note(name, v[:n])
	return v
}

// norm is a layer normalisation.
type norm struct{ gamma, beta []float32 }

func (w *weights) norm(name string, n int) norm {
	if !w.has(name+".weight") && w.has(name+".gamma") { // as old files name them
		return norm{w.vector(name+".gamma", n), w.vector(name+".beta", n)}
	}
	return norm{w.vector(name+".weight", n), w.vector(name+".bias", n)}
}

// rows returns a source of the rows of an out x in tensor, each times scale.
func (w *weights) rows(name string, out, in int, scale float32) kernel.Source {
	t, ok := w.tensor(name, out, in)
	if !ok {
		return nil
	}
	view, mapped := t.View()
	buf := make([]float32, in)
	return func(j int) []float32 {
		row := buf
		if mapped && scale == 1 {
			row = view[j*in:][:in]
		} else {
			t.Floats(row, j*in)
		}
		w.note(name, row)
		if scale != 1 {
			for i := range row {
				row[i] *= scale
			}
		}
		return row
	}
}

// linear is a dense layer in one of two forms.
type linear struct {
	f32 *kernel.F32
	i8  *kernel.I8
}

// pack reads dense layers of in inputs that are computed as one: the outputs of
// the names follow one another. The first layer's outputs are multiplied by
// scale.
func (w *weights) pack(in, out int, scale float32, names ...string) linear {
	sources := make([]kernel.Source, len(names))
	bias := make([]float32, 0, out*len(names))
	for i, name := range names {
		s := float32(1)
		if i == 0 {
			s = scale
		}
		sources[i] = w.rows(name+".weight", out, in, s)
		b := w.vector(name+".bias", out)
		if w.err != nil {
			return linear{}
		}
		for _, x := range b[:out] {
			bias = append(bias, x*s)
		}
	}
	row := func(j int) []float32 { return sources[j/out](j % out) }
	if w.int8 {
		return linear{i8: kernel.PackI8(in, out*len(names), row, bias)}
	}
	return linear{f32: kernel.Pack(in, out*len(names), row, bias)}
}

func (l linear) bytes() int {
	if l.i8 != nil {
		return l.i8.Bytes()
	}
	return l.f32.Bytes()
}

// fingerprint adds the weights to a digest.
func (w *weights) fingerprint(h hash.Hash) { fmt.Fprintf(h, "weights %x %t\n", w.sum, w.int8) }
