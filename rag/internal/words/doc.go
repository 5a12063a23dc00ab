// Package words keeps what the local model learns from the words of a corpus.
//
// A word table is trained when there is none, or when the corpus has doubled; a new
// version is built beside the old one ([Store.Train]) and takes its place when all
// documents are embedded with it ([Store.Adopt]). Beside the table there are live rows
// and case statistics, which follow each document that enters or leaves in the same
// transaction ([Change]). [Store.Tidy] brings in order what such changes leave.
//
// A [Local] is the local model as these words make it: rules, and embedders of
// questions and of documents. [Local.Read] says what it had been taught at a commit.
package words
