package procedure

import "github.com/ragdb/ragdb/query/cypher"

// Add puts all procedures of the package into a registry.
func Add(r *cypher.Registry) error {
	var all []*cypher.Procedure
	for _, a := range algorithms() {
		all = append(all, a.procedures()...)
	}
	all = append(all, projections()...)
	all = append(all, paths()...)
	all = append(all, vectors()...)
	all = append(all, texts()...)
	all = append(all, catalog(r)...)
	return r.Add(all...)
}
