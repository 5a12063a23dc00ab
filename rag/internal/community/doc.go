// Package community keeps the communities of a graph while nodes come and go.
//
// A whole clustering is made once. Afterwards each node that is new, or whose edges
// have changed, joins the neighbouring community by which modularity gains most
// ([Join]), and a community that has grown too large is divided on its own. The
// methods say what is kept of the whole clustering and when a new one is due.
package community
