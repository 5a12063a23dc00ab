package main

import (
	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
)

// exportOptions are those of an export.
func exportOptions(canonical bool) engine.ExportOptions {
	if !canonical {
		return engine.ExportOptions{}
	}
	return rag.CanonicalExport()
}
