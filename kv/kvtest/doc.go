// Package kvtest is the conformance suite of package kv: what every backend
// must do alike.
//
// [Run] runs the suite against a backend. [CheckSchema] tests that a schema's
// Split and Fold keep the rules that backends rely on. [Model] is the
// reference: a map that folds merges at once, and [CheckReader] compares any
// [kv.Reader] with it, point reads, scans and random walks of iterators.
// [Schema] is the schema the suite writes under: slash-separated text keys
// whose merges add elements to a set of bytes and remove them.
//
// Random tests print their seed when they fail.
package kvtest
