// Package modelhub fetches models from a hub and keeps them in a folder of the user, the
// cache.
//
// A hub speaks the protocol of huggingface.co: a revision of a model is a commit, whose
// files it lists with their sizes and checksums. [Hub.Pull] fetches those that
// [github.com/ragdb/ragdb/rag/llm/encoder] reads, the weights last and only if the other
// files are those of a model that it runs. Each file is checked by the size and the checksum
// that the hub states, and the weights of a model of the table ([Known]) by the one there.
// What was interrupted goes on where it stopped. A model is in the cache whole or not at all.
package modelhub
