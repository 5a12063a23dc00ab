package eval

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/ragdb/ragdb/rag/method"
)

// packVersion is the version of the form of packs.
const packVersion = 1

// ErrPack says that a file is not a pack that can be read.
var ErrPack = errors.New("no pack of an evaluation")

// Pack is what it takes to repeat runs on some data sets and to see that they
// come out the same: the reports with their manifests, digests of what each
// method retrieved for each question, and the replies of paid models. It holds
// neither documents nor questions, but their digests: a person who repeats the run
// has the data sets.
type Pack struct {
	V    int       `json:"v"`
	Sets []PackSet `json:"sets"`
}

// PackSet is one data set of a pack.
type PackSet struct {
	Report *Report `json:"report"`
	// Evidence are the digests by method and question; "" is a question that a
	// recorded system was not asked.
	Evidence [][]string `json:"evidence"`
	// Lines is how many lines of the file are replies of this set.
	Lines int `json:"lines"`

	// Replies are what [rag.Corpus.ExportCache] wrote.
	Replies []byte `json:"-"`
}

// Add adds a report with the replies that its run used.
func (p *Pack) Add(rep *Report, replies []byte) {
	p.V = packVersion
	set := PackSet{Report: rep, Replies: replies, Lines: bytes.Count(replies, []byte("\n"))}
	for _, f := range rep.Methods {
		digests := make([]string, len(f.Rows))
		for i, row := range f.Rows {
			if row != nil {
				digests[i] = row.Evidence
			}
		}
		set.Evidence = append(set.Evidence, digests)
	}
	p.Sets = append(p.Sets, set)
}

// Write writes the pack: packed lines, the first of them the pack itself, then
// the replies of each set.
func (p *Pack) Write(w io.Writer) error {
	z := gzip.NewWriter(w)
	err := json.NewEncoder(z).Encode(p)
	for _, s := range p.Sets {
		if err == nil {
			_, err = z.Write(s.Replies)
		}
	}
	if err = errors.Join(err, z.Close()); err != nil {
		return phase.Errorf("write a pack: %w", err)
	}
	return nil
}

// ReadPack reads what Write writes. A file that is none is an [ErrPack].
func ReadPack(r io.Reader) (*Pack, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, phase.Errorf("%w: %w", ErrPack, err)
	}
	in := bufio.NewReader(z)
	first, err := in.ReadBytes('\n')
	if err != nil {
		return nil, phase.Errorf("%w: %w", ErrPack, err)
	}
	p := &Pack{}
	if err := json.Unmarshal(first, p); err != nil {
		return nil, phase.Errorf("%w: %w", ErrPack, err)
	}
	if p.V != packVersion || len(p.Sets) == 0 {
		return nil, phase.Errorf("%w: version %d with %d data sets", ErrPack, p.V, len(p.Sets))
	}
	for i := range p.Sets {
		s := &p.Sets[i]
		if s.Report == nil || len(s.Evidence) != len(s.Report.Methods) {
			return nil, phase.Errorf("%w: set %d lacks its report", ErrPack, i+1)
		}
		for range s.Lines {
			line, err := in.ReadBytes('\n')
			if err != nil {
				return nil, phase.Errorf("%w: replies of %s: %w", ErrPack, s.Report.Data, err)
			}
			s.Replies = append(s.Replies, line...)
		}
	}
	return p, nil
}

// Options returns the options of the run that made the set, but for where the
// data is, the methods, the models and how answers are made, which the manifest
// of the report tells.
func (s *PackSet) Options() (Options, error) {
	rep := s.Report
	o := Options{Join: rep.Join == "yes", Extract: rep.Extract, Sample: rep.Sample, Budget: rep.Budget, At: rep.At, Seed: rep.Manifest.Seed, Known: bytes.NewReader(s.Replies)}
	for _, x := range rep.Manifest.Instances {
		spec, err := method.ParseSpec(x.Spec)
		if err != nil {
			return o, phase.Errorf("%w: %w", ErrPack, err)
		}
		o.Specs = append(o.Specs, spec)
	}
	if rep.Growth != nil {
		plan, err := ParseGrowth(rep.Growth.Plan)
		if err != nil {
			return o, phase.Errorf("%w: %w", ErrPack, err)
		}
		o.Growth = plan
	}
	return o, nil
}

// CheckData says in what the files of a data set differ from those of the pack;
// nothing if they are the same.
func (s *PackSet) CheckData(dir, questions string) ([]string, error) {
	r := &runner{o: Options{Data: dir, Questions: questions, Extract: s.Report.Extract}}
	have, err := r.files()
	if err != nil {
		return nil, phase.At("", err)
	}
	var out []string
	for _, want := range s.Report.Manifest.Files {
		other := "is missing"
		for _, f := range have {
			if f.Name == want.Name {
				other = ""
				if f.SHA256 != want.SHA256 {
					other = "is another file than was packed"
				}
			}
		}
		if other != "" {
			out = append(out, s.Report.Data+": "+want.Name+" "+other)
		}
	}
	return out, nil
}

// maxQuestions bounds the questions that are named for one method.
const maxQuestions = 5

// Differences says in what a report differs from the one of the pack: figures,
// evidence, parameters and sizes of graphs. Times are left out, and so is what
// an index cost, which depends on what a database held before, and the machine.
func (s *PackSet) Differences(now *Report) ([]string, error) {
	then, err := comparison(s.Report)
	if err != nil {
		return nil, err
	}
	other, err := comparison(now)
	if err != nil {
		return nil, err
	}
	d := &differ{}
	d.compare(nil, then, other)
	for i, f := range now.Methods {
		if i >= len(s.Evidence) {
			break
		}
		var named []string
		n := 0
		for j, row := range f.Rows {
			digest := ""
			if row != nil {
				digest = row.Evidence
			}
			if j < len(s.Evidence[i]) && s.Evidence[i][j] == digest {
				continue
			}
			if n++; n <= maxQuestions && j < len(now.Asked) {
				named = append(named, now.Asked[j].ID)
			}
		}
		if n > 0 {
			d.out = append(d.out, fmt.Sprintf("%s: other evidence for %d of %d questions: %s", f.Name, n, len(f.Rows), list(named, n)))
		}
	}
	return d.out, nil
}

// list names the first of n things.
func list(named []string, n int) string {
	s := strings.Join(named, ", ")
	if n > len(named) {
		s += ", …"
	}
	return s
}
