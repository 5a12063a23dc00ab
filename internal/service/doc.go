// Package service is what ragdb tells and does for people and programs, in the shapes
// that they read it in: the results of the command's --json, of the HTTP interface and
// of its tools for models are these types.
//
// A [Corpus] is a namespace with the methods and models to ask by. [Corpus.Prepare]
// makes a [Request] an [Asking], which answers, retrieves, or says why an item was or
// was not found. [Corpus.Show] tells what an id names, [Corpus.Status] what is indexed,
// and [Language] opens the query language on the corpus.
//
// Errors are explained by [Explain], which gives every error of the libraries its code.
package service
