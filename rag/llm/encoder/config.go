package encoder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
)

// config is config.json as far as it is read.
type config struct {
	ModelType         string   `json:"model_type"`
	Architectures     []string `json:"architectures"`
	Hidden            int      `json:"hidden_size"`
	Layers            int      `json:"num_hidden_layers"`
	Heads             int      `json:"num_attention_heads"`
	Inner             int      `json:"intermediate_size"`
	Positions         int      `json:"max_position_embeddings"`
	Vocabulary        int      `json:"vocab_size"`
	Types             int      `json:"type_vocab_size"`
	Epsilon           float64  `json:"layer_norm_eps"`
	Activation        string   `json:"hidden_act"`
	PositionType      string   `json:"position_embedding_type"`
	Pad               *int     `json:"pad_token_id"`
	Buckets           int      `json:"relative_attention_num_buckets"`
	Normalize         *bool    `json:"normalize"` // of static tables
	Decoder           bool     `json:"is_decoder"`
	EmbeddingSize     int      `json:"embedding_size"`
	relative          bool     // MPNet: the distance of two tokens adds to their attention
	firstPosition     int
	activation        activation
	classifierVectors bool // RoBERTa's and MPNet's head has its own first layer
}

type activation int

const (
	gelu activation = iota
	geluTanh
	relu
)

// The largest dimensions that are believed. They bound what is computed with
// them; memory is asked for only after the tensors have been found in the file.
const (
	maxHidden    = 1 << 14
	maxLayers    = 256
	maxPositions = 1 << 17
	maxRows      = 1 << 24
	maxJSON      = 1 << 20
)

// readJSON decodes a file of the model's folder, if it is there. Fields that
// have another type than expected are an error.
func readJSON(fsys fs.FS, name string, v any) (found bool, err error) {
	info, err := fs.Stat(fsys, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("%w: %w", ErrModel, err)
	case !info.Mode().IsRegular(): // a pipe would wait for a writer
		return false, fmt.Errorf("%w: %s is not a regular file", ErrModel, name)
	}
	f, err := fsys.Open(name)
	if err != nil {
		return false, fmt.Errorf("%w: %w", ErrModel, err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxJSON+1))
	switch {
	case err != nil:
		return false, fmt.Errorf("%w: %s: %w", ErrModel, name, err)
	case len(b) > maxJSON:
		return false, fmt.Errorf("%w: %s has more than %d bytes", ErrModel, name, maxJSON)
	}
	if err := json.Unmarshal(b, v); err != nil {
		return false, fmt.Errorf("%w: %s: %w", ErrModel, name, err)
	}
	return true, nil
}

func readConfig(fsys fs.FS, name string) (*config, error) {
	c := &config{Epsilon: 1e-12, Types: 2, Activation: "gelu", Buckets: 32}
	found, err := readJSON(fsys, name, c)
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, fmt.Errorf("%w: it has no %s", ErrModel, name)
	}
	return c, nil
}

// check works out what follows from the architecture, and refuses what the
// forward pass does not do.
func (c *config) check() error {
	pad := 1
	if c.Pad != nil {
		pad = *c.Pad
	}
	switch c.ModelType {
	case "bert":
	case "roberta", "xlm-roberta", "camembert":
		c.firstPosition, c.classifierVectors = pad+1, true
	case "mpnet":
		c.firstPosition, c.classifierVectors, c.relative, c.Types = pad+1, true, true, 0
	case "":
		return fmt.Errorf("%w: config.json names no model_type", ErrModel)
	default:
		return fmt.Errorf("%w: its architecture is %.40q, and bert, roberta, xlm-roberta, mpnet and static tables are run", ErrModel, c.ModelType)
	}
	switch strings.ToLower(c.Activation) {
	case "gelu":
		c.activation = gelu
	case "gelu_new", "gelu_pytorch_tanh", "gelu_fast":
		c.activation = geluTanh
	case "relu":
		c.activation = relu
	default:
		return fmt.Errorf("%w: its activation is %.40q, and gelu, gelu_new and relu are run", ErrModel, c.Activation)
	}
	if p := c.PositionType; p != "" && p != "absolute" {
		return fmt.Errorf("%w: its positions are %.40q, and only absolute ones are run", ErrModel, p)
	}
	if c.Decoder {
		return fmt.Errorf("%w: it is a decoder", ErrModel)
	}
	if c.EmbeddingSize != 0 && c.EmbeddingSize != c.Hidden {
		return fmt.Errorf("%w: its embeddings have another size than its layers", ErrModel)
	}
	for _, f := range []struct {
		name         string
		n, low, high int
	}{
		{"hidden_size", c.Hidden, 1, maxHidden},
		{"num_hidden_layers", c.Layers, 1, maxLayers},
		{"num_attention_heads", c.Heads, 1, maxHidden},
		{"intermediate_size", c.Inner, 1, 4 * maxHidden},
		{"pad_token_id", pad, 0, maxRows},
		{"max_position_embeddings", c.Positions, c.firstPosition + 3, maxPositions},
		{"vocab_size", c.Vocabulary, 1, maxRows},
		{"type_vocab_size", c.Types, 0, 16},
		{"relative_attention_num_buckets", c.Buckets, 4, 1 << 12},
	} {
		if f.n < f.low || f.n > f.high {
			return fmt.Errorf("%w: config.json says %s = %d, which is not between %d and %d", ErrModel, f.name, f.n, f.low, f.high)
		}
	}
	if c.Hidden%c.Heads != 0 {
		return fmt.Errorf("%w: config.json says %d heads, which do not divide a hidden_size of %d", ErrModel, c.Heads, c.Hidden)
	}
	if !(c.Epsilon >= 0 && c.Epsilon < 1) {
		return fmt.Errorf("%w: config.json says layer_norm_eps = %v", ErrModel, c.Epsilon)
	}
	return nil
}
