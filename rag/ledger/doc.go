// Package ledger keeps what models were paid for, so that nothing is paid for twice.
//
// A [Ledger] holds replies and vectors under the digests of what was asked. Beside each
// it notes which work items asked and which documents the text came from; a reply goes
// with its documents ([Forget]). rag.Corpus.Ledger returns the ledger of a corpus.
//
// [Ledger.Stats] counts the entries, [Ledger.Entries] yields them, and [Ledger.Prune]
// removes those that no document uses. [Ledger.Export] and [Ledger.Import] carry them to
// another database, and [Ledger.KeepEntries] stores what was recorded elsewhere.
// [Ledger.Runs] has the records of index runs. The other methods are for the packages
// that call models: they store a reply before anything is made of it, in one commit with
// those of other calls that wait for the writer.
package ledger
