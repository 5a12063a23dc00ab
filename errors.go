package ragdb

import "github.com/ragdb/ragdb/internal/fault"

// phase is the phase of the errors that this package makes.
const phase = fault.Database

// Error is the type that all errors of ragdb have for [errors.As]. Phase is the
// part of the work that ended: "load" for reading documents, "model" for requests
// to models, "engine" and "store" for the database, "query" for retrieval, "rag"
// for indexing and asking, and others. [Error.Origin] is where the error arose.
//
// What went wrong is told by [errors.Is] with the errors that the functions
// document, such as [method.ErrNotIndexed].
type Error = fault.Error
