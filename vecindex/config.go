package vecindex

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/ragdb/ragdb/internal/layout"
)

// Limits of a Config.
const (
	// maxDim is the largest dimension.
	maxDim = 1 << 16
	// maxModelBytes is the largest length of a model's name.
	maxModelBytes = 1 << 10
)

// Kind is the structure that an index searches with.
type Kind uint8

// The kinds. Flat is the zero value.
const (
	Flat  Kind = iota // every vector is compared: exact
	HNSW              // navigable small world graph
	CHNSW             // one graph for each layer, linked downwards
	IVF               // lists around centroids, with codes of a few bits, on disk
	Auto              // as Flat while it is small, as IVF once it has been large: see [Index.Flush]
)

// String returns the kind's name.
func (k Kind) String() string {
	switch k {
	case Flat:
		return "flat"
	case HNSW:
		return "hnsw"
	case CHNSW:
		return "c-hnsw"
	case IVF:
		return "ivf"
	case Auto:
		return "auto"
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// Config describes an index. Model, Dim, Metric, Kind and Element are stamped on
// it by its first write and checked by every later Open.
type Config struct {
	// Table names the graph, space and generation whose keys hold the index.
	Table layout.Table
	// Dim is the number of elements of a vector, 1 to 65,536.
	Dim int
	// Metric defaults to Cosine.
	Metric Metric
	// Model names what made the vectors, version included; it must not be
	// empty. Vectors of different models do not compare.
	Model string
	// Kind defaults to Flat.
	Kind Kind
	// Element is how vectors are stored; it defaults to F32.
	Element Element
	// Seed, M and EfConstruction are for the kinds that build graphs, Seed for IVF
	// and Auto too. Seed decides their random choices; that of lists holds until they are made
	// again. M is the number of links of a node on each
	// level, from 2 to 128, by default 16. EfConstruction is the width of the
	// search for these links, up to 16,384, by default DefaultEfConstruction.
	// Seed and EfConstruction may differ from one Open to the next.
	Seed              uint64
	M, EfConstruction int
}

// Limits and defaults of the kinds that build graphs.
const (
	minM, maxM            = 2, 128
	defaultM              = 16
	DefaultEfConstruction = 200
	defaultEf             = 64
	maxEf                 = 1 << 14
)

// graph reports whether the kind builds a graph.
func (c *Config) graph() bool { return c.Kind == HNSW || c.Kind == CHNSW }

// lists reports whether the kind has lists, or may come to have them.
func (c *Config) lists() bool { return c.Kind == IVF || c.Kind == Auto }

func (c *Config) m() int {
	if c.M == 0 {
		return defaultM
	}
	return c.M
}

func (c *Config) efConstruction() int {
	if c.EfConstruction == 0 {
		return DefaultEfConstruction
	}
	return c.EfConstruction
}

// Validate returns all that is wrong with c, joined, or nil.
func (c Config) Validate() error {
	var errs []error
	if c.Dim < 1 || c.Dim > maxDim {
		errs = append(errs, fmt.Errorf("dimension %d is not within 1 to %d", c.Dim, maxDim))
	}
	if c.Metric > L2 {
		errs = append(errs, fmt.Errorf("unknown metric %d", uint8(c.Metric)))
	}
	switch {
	case c.Model == "":
		errs = append(errs, errors.New("model has no name"))
	case len(c.Model) > maxModelBytes:
		errs = append(errs, fmt.Errorf("model name of %d bytes is longer than %d", len(c.Model), maxModelBytes))
	case !utf8.ValidString(c.Model):
		errs = append(errs, errors.New("model name is not UTF-8"))
	}
	if c.Kind > Auto {
		errs = append(errs, &kindError{Kind: c.Kind})
	}
	if c.Element > F16 {
		errs = append(errs, fmt.Errorf("unknown form of elements %d", uint8(c.Element)))
	}
	if m := c.m(); m < minM || m > maxM {
		errs = append(errs, fmt.Errorf("M %d is not within %d to %d", c.M, minM, maxM))
	}
	if ef := c.efConstruction(); ef < 1 || ef > maxEf {
		errs = append(errs, fmt.Errorf("EfConstruction %d is not within 1 to %d", c.EfConstruction, maxEf))
	}
	return errors.Join(errs...)
}

func (c Config) stamp() stamp {
	kind := c.Kind
	if kind == Auto {
		kind = Flat // whose records it has, and lists beside them
	}
	return stamp{Model: c.Model, Dim: c.Dim, Metric: c.Metric, Kind: kind, Element: c.Element, Normalised: c.Metric == Cosine}
}

// stamp is what an index records of its configuration.
type stamp struct {
	Model  string
	Dim    int
	Metric Metric
	Kind   Kind
	// Element is the form in which vectors are stored.
	Element Element
	// Normalised says that vectors are stored scaled to length 1.
	Normalised bool
}

// String renders the stamp for messages.
func (s stamp) String() string {
	form := "as given"
	if s.Normalised {
		form = "normalised"
	}
	return fmt.Sprintf("%q %d-d %s %s %s %s", s.Model, s.Dim, s.Element, s.Metric, s.Kind, form)
}

// Options are what may differ from one Open of an index to the next.
type Options struct {
	// MaxMirrorBytes bounds the copy of the vectors in memory; 0 means no bound,
	// a negative number no copy at all. A mirror has all vectors if they
	// and the next growth step (1 MiB or less) take at most three quarters of
	// the bound, the rest being room for replaced vectors that are not
	// reclaimed yet; else, of a flat index, codes of them or of as many as fit.
	// One that outgrows the bound gives up as much. Linking a graph
	// takes what it needs, and gives it back at the end: see the package's
	// comment.
	MaxMirrorBytes int64
	// Room returns the bytes that a mirror may have now, for owners of several
	// indexes that share one budget; nil means no further bound. It is called when
	// a mirror is built or grows, under locks of the index, and must not use
	// the index but for MemoryBytes.
	Room func() int64
	// MakeRoom asks the owner to have other indexes release their memory, so
	// that Room becomes want or more, and reports whether it has; nil never
	// does. It is called before an index is read into memory that Room is too
	// small for, under no lock.
	MakeRoom func(want int64) bool
	// ExactElements is the number of elements of all vectors together up to which an
	// Auto index compares all; 0 is 2^26: 65,536 vectors of 1,024 dimensions.
	ExactElements int64
	// Follow says that another process writes the index: this one has no Begin, Tend,
	// Flush or Settle, and each View shows its snapshot all the same.
	Follow bool
	// Rerank says what a graph's estimates are checked against; the zero value
	// chooses by dimension and room.
	Rerank Rerank
	// Workers bounds the goroutines that link; 0 is GOMAXPROCS. It does not
	// change the result.
	Workers int
}

// Rerank says where a graph's searches get better distances from.
type Rerank uint8

// The sources of better distances.
const (
	// RerankAuto keeps low planes if they fit, and reads vectors elsewhere.
	RerankAuto Rerank = iota
	// RerankPlane keeps a second byte of each element in memory: distances to
	// 16 bits, no reads.
	RerankPlane
	// RerankStore reads the vectors of which the estimates do not tell, some
	// two or three a search.
	RerankStore
	// RerankNone is what Stats reports if the vectors themselves are in
	// memory, as they are at few dimensions. To ask for it is
	// to ask for RerankAuto.
	RerankNone
)

// String returns the source's name.
func (r Rerank) String() string {
	switch r {
	case RerankAuto:
		return "auto"
	case RerankPlane:
		return "lowplane"
	case RerankStore:
		return "store"
	case RerankNone:
		return "none"
	}
	return fmt.Sprintf("rerank(%d)", uint8(r))
}
