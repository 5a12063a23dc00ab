package modelhub

import "strings"

// KnownModel is a model of the table: a good small one that runs inside ragdb. Its Revision
// is the commit that is fetched if none is named, of which its SHA256 is.
type KnownModel struct {
	Model
	// Query and Passage are what stands before a question and a passage, if the model
	// wants that and its files do not say so.
	Query, Passage string
}

// KnownModels returns the table: encoders, then rerankers, the smaller first.
func KnownModels() []KnownModel {
	return []KnownModel{
		{Model: Model{Name: "sentence-transformers/all-MiniLM-L6-v2", Role: "embed", Languages: "English", License: "Apache-2.0", Bytes: 90868376,
			Revision: "1110a243fdf4706b3f48f1d95db1a4f5529b4d41", SHA256: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"}},
		{Model: Model{Name: "BAAI/bge-small-en-v1.5", Role: "embed", Languages: "English", License: "MIT", Bytes: 133466304,
			Revision: "5c38ec7c405ec4b44b94cc5a9bb96e735b38267a", SHA256: "3c9f31665447c8911517620762200d2245a2518d6e7208acc78cd9db317e21ad"}, Query: "Represent this sentence for searching relevant passages: "},
		{Model: Model{Name: "sentence-transformers/all-mpnet-base-v2", Role: "embed", Languages: "English", License: "Apache-2.0", Bytes: 437971872,
			Revision: "e8c3b32edf5434bc2275fc9bab85f82640a19130", SHA256: "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"}},
		{Model: Model{Name: "intfloat/multilingual-e5-small", Role: "embed", Languages: "about 100", License: "MIT", Bytes: 470641600,
			Revision: "614241f622f53c4eeff9890bdc4f31cfecc418b3", SHA256: "1a55775f53449dac10a2bcbc312469fac40b96d53198c407081a831f81c98477"}, Query: "query: ", Passage: "passage: "},
		{Model: Model{Name: "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2", Role: "embed", Languages: "about 50", License: "Apache-2.0", Bytes: 470641600,
			Revision: "e8f8c211226b894fcb81acc59f3b34ba3efd5f42", SHA256: "eaa086f0ffee582aeb45b36e34cdd1fe2d6de2bef61f8a559a1bbc9bd955917b"}},
		{Model: Model{Name: "cross-encoder/ms-marco-MiniLM-L6-v2", Role: "rerank", Languages: "English", License: "Apache-2.0", Bytes: 90870598,
			Revision: "c5ee24cb16019beea0893ab7796b1df96625c6b8", SHA256: "821d1aa69520101d6e0737f78a042ae25b19e5cb9160701909d10434f4aeb0ae"}},
		{Model: Model{Name: "cross-encoder/mmarco-mMiniLMv2-L12-H384-v1", Role: "rerank", Languages: "about 100", License: "Apache-2.0", Bytes: 470592698,
			Revision: "1427fd652930e4ba29e8149678df786c240d8825", SHA256: "5daeca2481a76b5976a2bdc32f0a78532b6716da4f8cd3ff59460ef8d2f359b4"}},
	}
}

// Known finds a model of the table by its name with or without the owner. Case and hyphens
// do not count: the hub has written some names in several ways.
func Known(name string) (KnownModel, bool) {
	for _, k := range KnownModels() {
		if names(k.Name, name) {
			return k, true
		}
	}
	return KnownModel{}, false
}

// Short returns the name of a model without its owner.
func Short(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// names reports whether name, with or without an owner, is that of the model full.
func names(full, name string) bool {
	plain := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "-", "")) }
	if !strings.Contains(name, "/") {
		full = Short(full)
	}
	return plain(full) == plain(name)
}
