package encoder

import (
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Limits of the labels of a model that tags words.
const (
	maxLabels    = 4096
	maxLabelText = 256 // bytes
)

// tagger is the head of a model for token classification.
type tagger struct {
	out    linear
	labels []label
	types  []string // of labels, each once, sorted, without that of words outside
}

// label is what a word can be: a part of a span of some type.
type label struct {
	part part
	kind int // place in types, -1 for a word outside of all spans
}

// part is which part of a span a word is.
type part uint8

const (
	inside part = iota // it goes on with a span of its type, or begins one
	begins             // it begins a span
	single             // it is a span
	ends               // it goes on with a span of its type and ends it
)

// tags reports whether the configuration is that of a model that tags words.
func (c *config) tags() bool {
	return slices.ContainsFunc(c.Architectures, func(a string) bool { return strings.HasSuffix(a, "ForTokenClassification") })
}

// tagger reads the head that gives each token its label, if the model has one. It is
// computed in float32 always.
func (w *weights) tagger(n *network, fsys fs.FS, name string) {
	if w.err != nil {
		return
	}
	var c struct {
		Labels map[string]string `json:"id2label"`
	}
	if _, err := readJSON(fsys, name, &c); err != nil {
		w.err = err
		return
	}
	t, ok := w.file.Tensor("classifier.weight")
	switch {
	case !ok:
		w.fail("config.json says %s, and model.safetensors has no tensor classifier.weight", n.Architectures[0])
		return
	case len(t.Shape) != 2 || t.Shape[0] < 1 || t.Shape[0] > maxLabels:
		w.fail("tensor classifier.weight has the shape %v, and between 1 and %d labels are told", t.Shape, maxLabels)
		return
	}
	names := make([]string, t.Shape[0])
	if len(c.Labels) != len(names) {
		w.fail("config.json names %d labels in id2label, and tensor classifier.weight has %d", len(c.Labels), len(names))
		return
	}
	for i := range names {
		name, ok := c.Labels[strconv.Itoa(i)]
		if !ok || len(name) > maxLabelText {
			w.fail("config.json has no usable name of label %d in id2label", i)
			return
		}
		names[i] = name
	}
	if !slices.ContainsFunc(names, func(name string) bool { return !strings.HasPrefix(name, "LABEL_") }) {
		w.fail("config.json calls its labels %s and so on in id2label, which does not say what they are", names[0])
		return
	}
	prefix, i8 := w.prefix, w.int8
	defer func() { w.prefix, w.int8 = prefix, i8 }()
	w.prefix, w.int8 = "", false
	h := &tagger{out: w.pack(n.Hidden, len(names), 1, "classifier")}
	if h.labels, h.types = parseLabels(names); len(h.types) == 0 {
		w.fail("config.json names no label but O in id2label")
	}
	n.tagger = h
}

// parseLabels tells apart the part and the type of labels such as B-PER. If a label
// has no part, such as PER or E-MAIL beside it, none is taken to have one.
func parseLabels(names []string) (labels []label, types []string) {
	outside := func(name string) bool { return name == "" || strings.EqualFold(name, "O") }
	parts := !slices.ContainsFunc(names, func(name string) bool {
		return !outside(name) && (len(name) < 3 || name[1] != '-' || !strings.Contains("BILMEUS", name[:1]))
	})
	bare := func(name string) string {
		if parts {
			return name[2:]
		}
		return name
	}
	for _, name := range names {
		if !outside(name) {
			types = append(types, bare(name))
		}
	}
	slices.Sort(types)
	types = slices.Compact(types)
	for _, name := range names {
		l := label{kind: -1}
		if !outside(name) {
			l.kind, _ = slices.BinarySearch(types, bare(name))
			if parts {
				switch name[0] {
				case 'B':
					l.part = begins
				case 'U', 'S':
					l.part = single
				case 'L', 'E':
					l.part = ends
				}
			}
		}
		labels = append(labels, l)
	}
	return labels, types
}

// tagged is what a word was found to be. Its score is the sum of the probabilities of
// the labels of its type.
type tagged struct {
	label
	score float64
}

// choose returns the type with the greatest sum of probabilities, and of its labels
// the likeliest one; of equal ones the first.
func (h *tagger) choose(logits []float32, sums []float64) (tagged, error) {
	top := slices.Max(logits[:len(h.labels)])
	clear(sums)
	total := 0.
	for i, l := range h.labels {
		p := math.Exp(float64(logits[i]) - float64(top))
		sums[l.kind+1] += p
		total += p
	}
	if !(total >= 1 && total <= float64(len(h.labels))) { // else a logit is no number
		return tagged{}, fmt.Errorf("encoder: %w: its weights lead to infinite numbers", ErrModel)
	}
	best := 0
	for k, s := range sums {
		if s > sums[best] {
			best = k
		}
	}
	out := tagged{label{kind: best - 1}, sums[best] / total}
	first := true
	var high float32
	for i, l := range h.labels {
		if l.kind == out.kind && (first || logits[i] > high) {
			first, high, out.part = false, logits[i], l.part
		}
	}
	return out, nil
}
