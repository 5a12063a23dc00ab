// Package models has the models that a corpus is indexed and asked with.
//
// [Models] are made of [Parts]: a provider of answers and two embedders. For parts
// that are nil the local model may stand in ([WithLocal]); [Models.At] binds it to what
// it had been taught at the commit that a question is answered from. Models are not
// changed after they were made: With, Metered and In return others, which share their
// requests.
//
// Replies that are paid are taken from a ledger and kept there; calls are counted on a
// meter. Models know no corpus beyond that. Which model a corpus is embedded with is
// kept here too ([EmbeddingModel]).
package models
