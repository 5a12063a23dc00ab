package main

import (
	"strings"

	"github.com/ragdb/ragdb/engine"
)

// exportOptions are those of an export. A canonical one has no buckets, which
// hold work done, word tables and paid replies, and no vectors of the local
// model, which are a matter of its word table's age.
func exportOptions(canonical bool) engine.ExportOptions {
	if !canonical {
		return engine.ExportOptions{}
	}
	return engine.ExportOptions{
		Canonical: true,
		SkipSpace: func(_ string, o engine.SpaceOptions) bool { return strings.HasPrefix(o.Model, localVectors) },
		Bucket:    func(string, string) bool { return false },
	}
}

// localVectors begins the names of the local embedding models.
const localVectors = "local/"
