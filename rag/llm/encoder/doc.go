// Package encoder runs pretrained sentence encoders, cross-encoders and models that
// tag names inside the process: no server, no network, no C.
//
// # Models
//
// [Open] takes a folder as models are published: config.json, model.safetensors
// (float32, float16 or bfloat16), tokenizer.json or vocab.txt. Four sorts are
// run:
//
//   - BERT, RoBERTa and XLM-RoBERTa, and MPNet: MiniLM, bge, gte, e5,
//     multilingual-e5, all-mpnet and their kin. [Model.Embed] gives vectors.
//   - The same with a classification head of one label or two: cross-encoders.
//     [Model.Score] gives a number for each pair of texts.
//   - The same with a head for token classification (BertForTokenClassification and
//     so on): models for named entities. [Model.Tag] gives the spans of a text that
//     are of a type.
//   - Static tables: model2vec's, and sentence-transformers' StaticEmbedding.
//     [Model.Embed] gives the mean of the tokens' vectors.
//
// If the folder has the files of sentence-transformers they decide: modules.json
// and 1_Pooling/config.json the pooling (mean or cls) and whether vectors get
// the length 1, sentence_bert_config.json the longest text,
// config_sentence_transformers.json what stands before a query and a passage.
// Without them the mean of the tokens is taken, with length 1. Some models want
// words before a text that their files do not say, such as "query: " and
// "passage: " of the first e5: see [Options]. What is not run is refused:
// other architectures, rotary or relative positions of BERT, weights in
// several files, a Dense module.
//
// # Memory
//
// The dense layers are packed once, when the model is opened. The table of the
// vocabulary, half of a small model, stays in the file, which is mapped: other
// processes share its pages, and a row is read when a text has its token. The
// file must not be changed while the model is open. If it is cut, calls fail
// with an [ErrModel].
//
// With [Options.Int8] dense layers and the vocabulary are held in 8 bits, a
// quarter of the memory. Vectors keep a cosine above .995 to those of float32 for
// the models that were measured. With the instructions of AVX-512 VNNI the products
// take a quarter of the time, with AVX2 as long as in float32, and in plain Go
// longer.
//
// # Speed
//
// Texts lie one behind another through the dense layers, so a short text beside
// a long one costs nothing. Several threads take several batches, so one text
// uses one thread. See docs/models.md for measurements.
//
// # Determinism
//
// A text's vector depends on the text, the model and the tier of the kernels
// ([github.com/ragdb/ragdb/internal/distance.Active]). It does not depend on the
// texts beside it or on the number of threads, to the bit. The portable tier
// gives the same bits on every platform. Tiers differ by about 1e-6.
//
// # Errors
//
// A folder that is not a usable model gives an [ErrModel] with one sentence. Open
// reads every weight once, so damage that leads to numbers that are infinite or
// not numbers is found there. Sizes in the files are not believed before the
// bytes are found: memory is bounded by the size of the files.
package encoder
