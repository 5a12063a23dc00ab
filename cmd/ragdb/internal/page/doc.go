// Package page writes pages that show a graph and the trace of an answer in a
// browser: one file each, without network, whose texts are data and never
// markup. What a page shows stands in it as JSON, in the element "data", in the
// form of [Page].
//
// The library that draws is Cytoscape.js, in the folder vendored with its
// licence; a test holds its hash.
package page
