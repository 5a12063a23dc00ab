// Package page has the page of ragdb serve, and writes pages that show a graph and the
// trace of an answer in a browser: one file each, without network, whose texts are data and
// never markup. What such a page shows stands in it as JSON, in the element "data", in the
// form of [Page].
//
// The page of serve is what [Handler] serves. Its sources are ES modules in ui/src, which
// ui/build.mjs makes into the files of ui/dist; those stand in the repository, so that
// Go alone builds ragdb. A test holds that the sources give them.
//
// The library that draws in exports is Cytoscape.js, in the folder vendored with its
// licence; a test holds its hash.
package page
