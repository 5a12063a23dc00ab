// Package layout owns every byte of ragdb's keys: tags, builders, the order
// and prefix rules given to the store ([Schema]), the readable form of keys,
// and the encodings of those values that a merge folds. docs/format.md is the
// same in prose; a change here changes it too.
//
// A key is one tag byte and fixed-width big-endian fields, g being the graph:
//
//	00 meta             name
//	01 catalog          g kind8 id32
//	02 name -> id       g kind8 name
//	03 graph meta       g name
//	05 directory        namespace 00 graph-name
//	10 node             g node64
//	11 external key     g ntype32 key
//	12 nodes of type    g ntype32 container48                merge: set
//	13 node block       g block32 [node32]
//	18 text             g node64 prop32 part16
//	20 out-adjacency    g src64 etype32 [container48]        merge: set
//	21 in-adjacency     g dst64 etype32 [container48]        merge: set
//	22 promoted         g dir8 etype32 container48           merge: set
//	23 parallel         g dir8 node64 etype32 other64 ordinal32
//	24 edge             g etype32 src64 dst64 [ordinal32]
//	25 contribution     g source64 kind8 a64 etype32 b64
//	26 sources          g kind8 a64 etype32 b64 container48  merge: set
//	27 edge block       g etype32 src64 dst64 ordinal32
//	29 set index        g index32 value 00 00 container48    merge: set
//	2A edge index       g index32 value 00 00 from64 etype32 to64 ordinal32
//	30 vector space     g space32
//	31-37 vector tables g space32 generation16 rest
//	38 postings         g field32 term 00 00 container48     merge: postings
//	39 lexical sums     g field32 term                       merge: sum
//	3A terms of node    g field32 node64
//	40 bucket           g bucket32 rest
//	50 change           g version64
//
// A container holds the ids that share their upper 48 bits; its key carries
// those bits and its value the lower 16. Variable fields that are not last are
// escaped (00 as 00 FF) and closed by 00 00, so that byte order is value order
// and no key is the prefix of another. Within an index's value the components
// of a tuple end with 00 01.
package layout
