package eval

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/distance"
	"github.com/ragdb/ragdb/rag/method"
)

// Build says which ragdb made a report.
type Build struct {
	Version  string `json:"version,omitempty"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"`
}

// Manifest says what a report was made of and by: all that its figures depend
// on.
type Manifest struct {
	Build
	Format uint32 `json:"format"`
	Go     string `json:"go"`
	OS     string `json:"os"`
	Arch   string `json:"arch"`
	// Kernels is the tier of vector arithmetic. Tiers differ in the last bits
	// of a sum, which may swap two items of nearly equal score.
	Kernels string `json:"kernels"`
	// Seed is that of the intervals; what is random in a method has its seed
	// among the method's parameters.
	Seed uint64 `json:"seed"`
	// Files are those that were read, of the data set's folder.
	Files []dataFile `json:"files"`
	// Reader is what entities and relations were read with, with its version;
	// Model is what did the tasks of indexing, EmbedModel what made vectors,
	// of Dim elements, and Prompts the hash of the prompts, "" if no model
	// read any.
	Reader     string `json:"reader"`
	Model      string `json:"model"`
	EmbedModel string `json:"embed_model"`
	Dim        int    `json:"dim"`
	Prompts    string `json:"prompts,omitempty"`
	Documents  int    `json:"documents"`
	Chunks     int    `json:"chunks"`
	// Answers says how answers were made, nil if none were.
	Answers *answersMade `json:"answers,omitempty"`
	// Instances are the methods, in the order of the report.
	Instances []instance `json:"instances"`
}

// answersMade says how a report's answers were made and judged.
type answersMade struct {
	Model      string   `json:"model"`
	OwnPrompts bool     `json:"own_prompts,omitempty"`
	Style      string   `json:"style,omitempty"`
	Judges     []string `json:"judges,omitempty"`
}

// dataFile is a file of a data set.
type dataFile struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// instance is a method of a report with its graph.
type instance struct {
	// Spec is the method as it was asked for, Instance its index, Params all
	// of its parameters.
	Spec     string            `json:"spec"`
	Instance string            `json:"instance"`
	Params   map[string]string `json:"params"`
	// Nodes, Edges and Vectors count its graph, Bytes those of its keys and
	// values before compression; 0 for a method that builds none.
	Nodes   int64 `json:"nodes"`
	Edges   int64 `json:"edges"`
	Vectors int64 `json:"vectors"`
	Bytes   int64 `json:"bytes"`
}

// manifest says what this run was made of.
func (r *runner) manifest(ctx context.Context, systems []*method.System, rep *Report) (Manifest, error) {
	m := Manifest{
		Build: r.o.Build, Format: engine.Format, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		Kernels: distance.Active().String(), Seed: r.o.Seed,
		Reader: r.reader, Model: r.provider, Documents: r.documents, Chunks: r.chunks,
	}
	var err error
	if m.Files, err = r.files(); err != nil {
		return m, err
	}
	models, err := r.questionModels(ctx)
	if err != nil {
		return m, err
	}
	m.EmbedModel, m.Dim, m.Prompts = models.QuestionSpace().Model, models.Questions().Space().Dim, models.Prompts()
	if r.o.Answers != nil {
		m.Answers = &answersMade{OwnPrompts: r.o.Answers.OwnPrompts, Style: r.o.Answers.Style}
		for _, f := range rep.Methods {
			if f.Answers != nil {
				m.Answers.Model = f.Answers.Model
			}
		}
		for _, j := range rep.Judging {
			m.Answers.Judges = append(m.Answers.Judges, j.Judge)
		}
	}
	for i, sys := range systems {
		m.Instances = append(m.Instances, instance{Spec: r.specs[i].String(), Instance: sys.Instance(), Params: sys.Params()})
	}
	return m, nil
}

// sizes fills in how large the graphs are, and returns the bytes of the one that
// all methods share.
func (r *runner) sizes(ctx context.Context, systems []*method.System, instances []instance) (shared int64, err error) {
	var stats engine.Stats
	err = r.db.View(ctx, func(s *engine.Snapshot) (err error) {
		stats, err = s.Stats(ctx)
		return err
	})
	if err != nil {
		return 0, err
	}
	for _, g := range stats.Graphs {
		if g.ID == r.corpus.Base().ID() {
			shared = g.KeyBytes + g.ValueBytes
		}
		for i, sys := range systems {
			if sys.Graph() == nil || sys.Graph().ID() != g.ID {
				continue
			}
			x := &instances[i]
			x.Nodes, x.Edges, x.Bytes = g.Nodes, g.Edges, g.KeyBytes+g.ValueBytes
			for _, v := range g.Vectors {
				x.Vectors += v.Count
			}
		}
	}
	return shared, nil
}

// files returns the files that the run read of the data set, by name, with
// their digests: of what is in them, packed or not.
func (r *runner) files() ([]dataFile, error) {
	corpus, err := findCorpus(r.o.Data)
	if err != nil {
		return nil, err
	}
	var paths []string
	if filepath.Base(corpus) == docsFolder {
		if paths, err = filesIn(corpus); err != nil {
			return nil, err
		}
	}
	for _, name := range []string{"corpus.jsonl", "questions.jsonl", recordings, retrievals} {
		p, err := find(r.o.Data, name)
		switch {
		case name == "questions.jsonl" && r.o.Questions != "":
			p = r.o.Questions
		case name == recordings && r.o.Extract != ExtractRecorded:
			continue
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, err
		}
		paths = append(paths, p)
	}
	var out []dataFile
	for _, p := range paths {
		f, err := digestFile(p)
		if err != nil {
			return nil, err
		}
		if inside, err := filepath.Rel(corpus, p); err == nil && filepath.IsLocal(inside) && inside != "." {
			f.Name = docsFolder + "/" + filepath.ToSlash(inside)
		}
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b dataFile) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// digestFile reads a data file through, unpacked if it is packed.
func digestFile(p string) (dataFile, error) {
	in, err := openFile(p)
	if err != nil {
		return dataFile{}, err
	}
	h := sha256.New()
	n, err := io.Copy(h, in)
	if err = errors.Join(err, in.Close()); err != nil {
		return dataFile{}, fmt.Errorf("%s: %w", p, err)
	}
	return dataFile{strings.TrimSuffix(filepath.Base(p), ".gz"), n, hex.EncodeToString(h.Sum(nil))}, nil
}
