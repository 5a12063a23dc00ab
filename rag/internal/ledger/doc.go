// Package ledger keeps what models were paid for: replies and vectors under the
// digests of what was asked, which work items asked, and the documents that each was
// made from, so that nothing is paid for twice and all of it goes with its documents.
//
// A [Ledger] stores a reply before anything is made of it, together with those of
// other calls that wait for the writer. It counts, exports, imports and prunes what is
// kept, and has the records of index runs. It knows no models and no corpus but its
// base graph.
package ledger
