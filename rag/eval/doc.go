// Package eval measures retrieval methods side by side: the same documents,
// the same questions, the same budget of context.
//
// # Data
//
// A data set is a folder with corpus.jsonl and questions.jsonl, each possibly
// with .gz: a record a line, {"id","title","text"}, and a question a line,
// {"id","question","answers":[...],"supporting":[record ids]}.
//
// It may have openie.jsonl, what a model read in the records:
// {"passage_id","entities":[...],"triples":[[s,p,o],...]}. Methods that read
// entities and relations then take them from there (package replay), so that
// they are compared on the work of a real model without calling one; texts that
// are not recorded are read by rules, and so is everything where Options.Extract
// says so or there is no such file.
//
// # Records or joined
//
// By default each record is a document, cut by the default paragraph-aware
// chunk set for every method. With Join all records in file order, a line
// break between two, are one document, cut for every method by KET-RAG's blind
// windows (1200/100, re-cut at 150), as that paper did. A method whose spec
// names a profile or a chunk set of its own keeps it.
//
// # Figures
//
//   - coverage: questions of which an answer is contained in an item of the
//     context, after lower-casing and dropping punctuation and articles;
//     coverage_raw without that, case alone ignored; coverage_word normalised
//     and on word borders. Questions without answers do not count.
//   - recall@2, recall@5, perfect (all gold records among the first five), mrr:
//     records are ranked by the first evidence item whose text comes from that
//     record alone. Questions without gold records do not count.
//   - ci: a 95 % interval, by paired bootstrap over the questions, of the
//     method's main figure less bm25's: of coverage where there are answers,
//     else of recall@5. It is absent for bm25, the first method of that name,
//     and where bm25 is not in the run or nothing was measured.
//   - index_cpu_s: CPU seconds of the process while it indexed in this run, what
//     all methods share (documents, the run's chunk set and its vectors) and
//     what the method added. Work that a kept database holds already, or that
//     an earlier method of the run did since both use one graph, counts
//     nothing.
//   - ms: milliseconds of a retrieval, from the question to the evidence.
//
// A record that cannot be read is left out, as it would be in use, and Notify
// is told; a line of the questions that cannot be read is an error.
//
// A database that is kept serves one data set, joined or not, and one way to
// extract: another one's documents would be found beside it, and what is
// indexed is not read again. A run that differs ends with an error.
package eval
