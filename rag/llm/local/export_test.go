package local

import (
	"context"

	"github.com/ragdb/ragdb/rag/internal/text"
)

// TaggedNames returns the keys of the names that the tagger finds in a text.
func (p *Provider) TaggedNames(ctx context.Context, s string) (keys []string, err error) {
	found, err := p.tag(ctx, s, text.Sentences(s))
	if err != nil {
		return nil, err
	}
	for _, n := range found.names {
		keys = append(keys, n.Key)
	}
	return keys, nil
}

// EntityType is entityType.
func EntityType(tag string) (kind string, part, ok bool) { return entityType(tag) }
