package rag

// SetMaxWords bounds how many different words a change of the words has before
// they are learnt again.
func (c *Corpus) SetMaxWords(n int) { c.words.MaxWords = n }
