package link

import "github.com/ragdb/ragdb/rag/internal/corpus"

// Alias is a name that is read as another one. See rag.Corpus.Merge.
type Alias = corpus.Alias

// Change says what a change of aliases concerns.
type Change struct {
	// Aliases are those that were made or undone.
	Aliases []Alias `json:"aliases"`
	// Documents are those that the next index reads again, Methods the instances that
	// have read them.
	Documents []string `json:"docs"`
	Methods   []string `json:"methods"`
}

// Options tune a [Find]. The zero value is right for most.
type Options struct {
	// Top is the most candidates that are returned; 0 is 50.
	Top int
	// Min is the least cosine of the names' vectors; 0 is 0.7.
	Min float64
	// MayEmbed is called with the names before a model is asked for their vectors;
	// an error of it ends the search. It may be nil.
	MayEmbed func(names []string) error
}

// Report is what [Find] found.
type Report struct {
	// Model made the vectors.
	Model string `json:"model"`
	// Names is the number of names that were compared.
	Names int `json:"names"`
	// Found is the number of candidates before Options.Top.
	Found int `json:"found"`
	// Candidates are the pairs, the best first.
	Candidates []Candidate `json:"candidates"`
}

// Candidate is a pair of names that may be names of one thing.
type Candidate struct {
	// Name would be read as Into, which stands in at least as many documents.
	Name Mention `json:"name"`
	Into Mention `json:"into"`
	// Cosine is that of the names' vectors, Context that of the mean vectors of the
	// chunks that mention them, without those that mention both. Context is 0 if a
	// name has no other chunk.
	Cosine  float64 `json:"cosine"`
	Context float64 `json:"context"`
	// Shared is the number of entities that both are related to.
	Shared int `json:"shared_neighbours"`
	// Score orders the candidates.
	Score float64 `json:"score"`
	// Reason says in a few words how the names are alike.
	Reason string `json:"reason"`
}

// Mention is a name with where it stands.
type Mention struct {
	// Name is how most documents write it, Key the form in which names are compared.
	Name string `json:"name"`
	Key  string `json:"key"`
	// Docs and Mentions count the documents and the places that name it.
	Docs     int `json:"docs"`
	Mentions int `json:"mentions"`
	// Chunk is one that mentions it, and Sentence the sentence there, shortened. They
	// are empty if no chunk has the name in these words.
	Chunk    string `json:"chunk,omitempty"`
	Sentence string `json:"sentence,omitempty"`
}
