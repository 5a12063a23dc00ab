package corpus

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/encoded"
)

// The buckets of the base graph that tell of names that are read as others.
const (
	bucketAliases = "aliases" // key of the name -> Alias
	bucketReread  = "reread"  // instance 00 document, which is to leave the instance's graph and be read again
)

// Alias is a name of an entity that is read as another one.
type Alias struct {
	// Name and Into are the names as they are written, Key and IntoKey the forms in
	// which names are compared (rag/text.Key).
	Name    string `json:"name"`
	Key     string `json:"key"`
	Into    string `json:"into"`
	IntoKey string `json:"into_key"`
}

// Aliases are the names that are read as others, by their keys.
type Aliases map[string]Alias

// Aliases returns the names that are read as others.
func (c *Corpus) Aliases(v engine.Reader) (Aliases, error) {
	out := Aliases{}
	for e, err := range v.Bucket(bucketAliases).Scan(nil, nil) {
		if err != nil {
			return nil, err
		}
		a := Alias{}
		if err := json.Unmarshal(e.Value, &a); err != nil {
			return nil, err
		}
		out[string(e.Key)] = a
	}
	return out, nil
}

// Of returns the key that a key is read as, which may be itself, and the alias that
// names it last; ok is false if there is none.
func (a Aliases) Of(key string) (into string, last Alias, ok bool) {
	into = key
	for range a { // as many steps at most, whatever is stored
		next, more := a[into]
		if !more {
			break
		}
		into, last, ok = next.IntoKey, next, true
	}
	return into, last, ok
}

// Key is [Aliases.Of] without the alias.
func (a Aliases) Key(key string) string {
	into, _, _ := a.Of(key)
	return into
}

// ReadAs returns the keys that some keys of names are read as.
func (c *Corpus) ReadAs(ctx context.Context, keys []string) ([]string, error) {
	out := slices.Clone(keys)
	err := c.View(ctx, func(s *engine.Snapshot) error {
		aliases, err := c.Aliases(s.Graph(c.base))
		for i, k := range keys {
			out[i] = aliases.Key(k)
		}
		return err
	})
	return out, err
}

// List returns the aliases in order of key.
func (a Aliases) List() []Alias {
	out := make([]Alias, 0, len(a))
	for _, x := range a {
		out = append(out, x)
	}
	slices.SortFunc(out, func(x, y Alias) int { return strings.Compare(x.Key, y.Key) })
	return out
}

// PutAlias stores an alias in the base graph.
func PutAlias(v *engine.TxView, a Alias) error {
	b, err := v.MakeBucket(bucketAliases)
	if err != nil {
		return err
	}
	return encoded.Put(b, []byte(a.Key), a)
}

// DropAlias removes the alias of a key.
func DropAlias(v *engine.TxView, key string) error {
	b, err := v.MakeBucket(bucketAliases)
	if err != nil {
		return err
	}
	return b.Delete([]byte(key))
}

// Reread is a document that is to leave a method's graph and be read again.
type Reread struct{ Instance, Doc string }

func (r Reread) key() []byte { return []byte(r.Instance + "\x00" + r.Doc) }

// Rereads returns what is to be read again, by document and instance.
func (c *Corpus) Rereads(v engine.Reader) ([]Reread, error) {
	var out []Reread
	for e, err := range v.Bucket(bucketReread).Scan(nil, nil) {
		if err != nil {
			return nil, err
		}
		instance, doc, _ := strings.Cut(string(e.Key), "\x00")
		out = append(out, Reread{instance, doc})
	}
	slices.SortFunc(out, func(a, b Reread) int {
		return strings.Compare(a.Doc+"\x00"+a.Instance, b.Doc+"\x00"+b.Instance)
	})
	return out, nil
}

// PutReread notes, with on, that a document is to be read again, or else that it has
// left the graph.
func PutReread(v *engine.TxView, r Reread, on bool) error {
	b, err := v.MakeBucket(bucketReread)
	if err != nil {
		return err
	}
	if !on {
		return b.Delete(r.key())
	}
	return b.Set(r.key(), nil)
}
