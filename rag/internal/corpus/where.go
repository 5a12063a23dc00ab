package corpus

import (
	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
)

// fields are the names that a filter may use beside the metadata of documents,
// unless a document has metadata of that name.
func fields() map[string]string { return map[string]string{"key": "", "format": propFormat} }

// documents returns the documents that pass the filter. The chunks of the base
// graph have no metadata, so that each would pass a NOT: only documents are
// looked at.
func (f *filter) documents(base *engine.View) (*roaring.Bitmap, error) {
	all := roaring.New()
	if t, ok := base.NodeType(TypeDocument); ok {
		var err error
		if all, err = base.Nodes(t); err != nil {
			return nil, err
		}
	}
	return query.Where(base, all, f.where, fields())
}
