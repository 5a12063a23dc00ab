package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"unicode/utf8"
)

// ErrInvalid says that the files of a tokenizer cannot be used. The error's
// text names the file and the reason.
var ErrInvalid = errors.New("not a usable tokenizer")

// The names of a tokenizer's files.
const (
	jsonFile    = "tokenizer.json"
	vocabFile   = "vocab.txt"
	configFile  = "tokenizer_config.json"
	specialFile = "special_tokens_map.json"
)

const (
	maxFile  = 64 << 20 // bytes of a tokenizer's file
	maxPiece = 1024     // bytes of one piece or added token
)

// Load reads the tokenizer of a model's directory: tokenizer.json, or if there
// is none, the WordPiece vocabulary vocab.txt with the settings of
// tokenizer_config.json and special_tokens_map.json, which may be missing. If
// neither is there, the error is [fs.ErrNotExist]; a file that cannot be used
// gives [ErrInvalid].
func Load(fsys fs.FS) (*Tokenizer, error) {
	data, err := readFile(fsys, jsonFile)
	if err == nil {
		t, err := parse(data)
		if err != nil {
			return nil, invalid(jsonFile, err)
		}
		return t, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	data, err = readFile(fsys, vocabFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the model has neither %s nor %s: %w", jsonFile, vocabFile, fs.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	t, err := parseVocab(fsys, data)
	if err != nil {
		return nil, invalid(vocabFile, err)
	}
	return t, nil
}

func invalid(file string, err error) error {
	if errors.Is(err, ErrInvalid) {
		return err
	}
	return fmt.Errorf("%s: %w: %w", file, ErrInvalid, err)
}

func readFile(fsys fs.FS, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > maxFile {
		return nil, invalid(name, fmt.Errorf("it has more than %d MiB", maxFile>>20))
	}
	data := make([]byte, info.Size())
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, err
	}
	if !utf8.Valid(data) {
		return nil, invalid(name, errors.New("it is not UTF-8 text"))
	}
	return data, nil
}

// loaded is a model with what the rest of the tokenizer must know of it.
type loaded struct {
	model   model
	pieces  *trie
	size    int // the number of different pieces
	top     int32
	unknown int32
}

// parse reads a tokenizer.json.
func parse(data []byte) (*Tokenizer, error) {
	if !json.Valid(data) {
		return nil, errors.New("it is not JSON")
	}
	parts := map[string][]byte{}
	err := members(data, func(key, value []byte) error {
		switch string(key) {
		case `"normalizer"`, `"pre_tokenizer"`, `"post_processor"`, `"added_tokens"`, `"model"`:
			parts[string(key[1:len(key)-1])] = value
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if parts["model"] == nil {
		return nil, errors.New("it has no model")
	}
	m, err := parseModel(parts["model"])
	if err != nil {
		return nil, err
	}
	t := &Tokenizer{model: m.model, unknown: m.unknown}
	if t.normal, err = parseNormalizer(parts["normalizer"], 0); err != nil {
		return nil, err
	}
	if t.pre, err = parsePreTokenizer(nil, parts["pre_tokenizer"], 0); err != nil {
		return nil, err
	}
	if t.single, t.pair, err = parseTemplates(parts["post_processor"], 0); err != nil {
		return nil, err
	}
	var added []addedToken
	if raw := parts["added_tokens"]; raw != nil {
		if err := json.Unmarshal(raw, &added); err != nil {
			return nil, errors.New("added_tokens is not a list of tokens")
		}
	}
	if err := t.finish(m, added); err != nil {
		return nil, err
	}
	return t, nil
}

// finish gives the added tokens their numbers and sets what depends on all
// parts. A token of the vocabulary keeps its number; others follow behind.
func (t *Tokenizer) finish(m loaded, added []addedToken) error {
	ids := map[string]int32{}
	byID := map[int32]int{} // places in added
	next := m.size
	top := m.top
	for i := range added {
		a := &added[i]
		if a.Content == "" {
			continue
		}
		if len(a.Content) > maxPiece {
			return fmt.Errorf("an added token has more than %d bytes", maxPiece)
		}
		id, ok := ids[a.Content]
		if !ok {
			if id = m.pieces.find([]byte(a.Content)); id < 0 {
				id = int32(next)
				next++
			}
		}
		a.id = id
		ids[a.Content], byID[id] = id, i
		top = max(top, id)
	}
	var rawKeys, cookedKeys []string
	var raw, cooked []addedToken
	s := t.scratch()
	for i, a := range added {
		if a.Content == "" || byID[a.id] != i {
			continue
		}
		if !a.Normalized {
			rawKeys, raw = append(rawKeys, a.Content), append(raw, a)
			continue
		}
		key := a.Content
		if t.normal != nil {
			out, _ := t.normal.normalize(nil, []byte(key), s)
			key = string(bounded(out, len(key)))
		}
		if len(key) > maxPiece {
			return fmt.Errorf("an added token has more than %d bytes", maxPiece)
		}
		cookedKeys, cooked = append(cookedKeys, key), append(cooked, a)
	}
	t.raw, t.cooked = newAddedTokens(rawKeys, raw), newAddedTokens(cookedKeys, cooked)
	for _, list := range [][]templatePart{t.single.parts, t.pair.parts} {
		for _, p := range list {
			for _, id := range p.ids {
				top = max(top, id)
			}
		}
	}
	t.vocabSize = int(top) + 1
	return nil
}
