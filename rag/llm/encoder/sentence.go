package encoder

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// sentence is what sentence-transformers adds to a model: where its parts are,
// and how the vectors of tokens become one.
type sentence struct {
	dir       string // of config.json and model.safetensors, "." for the folder itself
	static    bool   // dir holds a table of vectors alone
	pooling   Pooling
	normalize bool
	maxTokens int // 0 for not said
	query     string
	passage   string
}

// module is an entry of modules.json.
type module struct {
	Path string `json:"path"`
	Type string `json:"type"`
}

func readSentence(fsys fs.FS) (*sentence, error) {
	s := &sentence{dir: ".", pooling: Mean, normalize: true}
	var modules []module
	found, err := readJSON(fsys, "modules.json", &modules)
	if err != nil {
		return nil, err
	}
	if found {
		s.normalize = false
	}
	for _, m := range modules {
		dir := path.Clean(m.Path)
		if !fs.ValidPath(dir) {
			return nil, fmt.Errorf("%w: modules.json names the folder %.80q", ErrModel, m.Path)
		}
		switch kind := m.Type[strings.LastIndexByte(m.Type, '.')+1:]; kind {
		case "Transformer":
			s.dir = dir
		case "StaticEmbedding":
			s.dir, s.static = dir, true
		case "Pooling":
			if err := s.readPooling(fsys, path.Join(dir, "config.json")); err != nil {
				return nil, err
			}
		case "Normalize":
			s.normalize = true
		default:
			return nil, fmt.Errorf("%w: modules.json has a part of type %.80q, and Transformer, StaticEmbedding, Pooling and Normalize are run", ErrModel, kind)
		}
	}
	var limits struct {
		MaxTokens *int `json:"max_seq_length"`
	}
	if _, err := readJSON(fsys, path.Join(s.dir, "sentence_bert_config.json"), &limits); err != nil {
		return nil, err
	}
	if limits.MaxTokens != nil {
		s.maxTokens = *limits.MaxTokens
	}
	return s, s.readPrompts(fsys)
}

func (s *sentence) readPooling(fsys fs.FS, name string) error {
	var c struct {
		CLS    bool    `json:"pooling_mode_cls_token"`
		Mean   bool    `json:"pooling_mode_mean_tokens"`
		Max    bool    `json:"pooling_mode_max_tokens"`
		Root   bool    `json:"pooling_mode_mean_sqrt_len_tokens"`
		Weight bool    `json:"pooling_mode_weightedmean_tokens"`
		Last   bool    `json:"pooling_mode_lasttoken"`
		Mode   *string `json:"pooling_mode"`
	}
	found, err := readJSON(fsys, name, &c)
	if err != nil || !found {
		return err
	}
	if c.Mode != nil {
		c.CLS, c.Mean = *c.Mode == "cls", *c.Mode == "mean"
	}
	switch {
	case c.Max || c.Root || c.Weight || c.Last || c.CLS == c.Mean:
		return fmt.Errorf("%w: %s asks for a pooling other than one of mean and cls", ErrModel, name)
	case c.CLS:
		s.pooling = CLS
	}
	return nil
}

// readPrompts finds what the model wants before a query and before a passage.
func (s *sentence) readPrompts(fsys fs.FS) error {
	var c struct {
		Prompts map[string]string `json:"prompts"`
	}
	if _, err := readJSON(fsys, "config_sentence_transformers.json", &c); err != nil {
		return err
	}
	s.query = c.Prompts["query"]
	for _, name := range []string{"document", "passage", "corpus"} {
		if p := c.Prompts[name]; p != "" {
			s.passage = p
			break
		}
	}
	if len(s.query) > maxPrompt || len(s.passage) > maxPrompt {
		return fmt.Errorf("%w: config_sentence_transformers.json has a prompt of more than %d bytes", ErrModel, maxPrompt)
	}
	return nil
}

const maxPrompt = 4096
