// Package eval measures retrieval methods side by side: the same documents,
// the same questions, the same budget of context.
//
// # Data
//
// A data set is a folder with corpus.jsonl and questions.jsonl, each possibly
// with .gz: a record a line, {"id","title","text"}, and a question a line,
// {"id","question","answers":[...],"supporting":[record ids]}.
//
// In place of corpus.jsonl it may have a folder docs of files in any format that
// package load reads; the gold records of its questions are places:
// {"places":[{"doc":"a.html","match":"RE"}],"expect":["RE"]}. A place is shown by an item
// of one of the documents whose text matches; expect is what a right answer matches.
//
// It may have openie.jsonl, what a model read in the records:
// {"passage_id","entities":[...],"triples":[[s,p,o],...]}. Methods that read
// entities and relations then take them from there (package replay), so that
// they are compared on the work of a real model without calling one; texts that
// are not recorded are read by rules, and so is everything if Options.Extract
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
//   - recall@2, @5, @10: the share of the gold records among the first; hit@1,
//     @5, @10: questions with any of them there; perfect: those with all among
//     the first five; mrr: the reciprocal rank of the first. Records are ranked
//     by the first evidence item whose text comes from that record alone.
//     Questions without gold records do not count.
//   - ci: a 95 % interval, by paired bootstrap over the questions, of the
//     method's main figure less bm25's: of coverage if there are answers,
//     else of recall@5. It is absent for bm25, the first method of that name,
//     and if bm25 is not in the run or nothing was measured.
//   - evidence: a digest of all texts that were retrieved, with what they rest
//     on. Two runs that retrieved the same have the same.
//   - index: what making the index cost in calls, tokens and money, and
//     index_cpu_s and index_s in CPU and wall seconds: of what all methods share
//     (documents, the run's chunk set and its vectors) and of what the method
//     added. A kept database keeps that with the index, so that a run that
//     finds it made says what it cost then. Methods with one index have one
//     cost.
//   - ms: milliseconds of a retrieval, from the question to the evidence, and of
//     each operator in it.
//
// All but the times are the same on every run: [Times] holds what is not.
//
// # Equal tokens
//
// With Options.At every method is also asked every question with each of these budgets
// ([method.Question].Budget), and AtFigure has what it did with each: a budget is
// what the method was told, not a cut of longer evidence, since methods divide
// their budget between sections. No answers are made from it, and the
// steps of growth are asked with Options.Budget alone.
//
// Let G be the gold records of a question. An item of the evidence shows a record
// if its text comes from that record alone. S are the records of G that some item shows,
// S(s) those that an item of section s shows, and P those that the evidence of plain
// search shows: of the method naive with its defaults, asked with the same budget,
// also if it is not in the run. An item is the graph's if it is no chunk, such as an
// entity or a summary, or if a step of its reasons came from another item: a
// neighbour, a source of an entity, a way of PageRank, a name that ties
// two passages. What a search by words or vectors found is not the graph's, nor is its
// copy in another graph, unless a walk that started at it raised it into its section: if
// the walk had left its starts in their order, as many others of its type would stand before
// it as the section has items. S* are the records of S that items of the graph alone show.
//
//   - tokens: the mean of the tokens of the evidence, at most the budget.
//   - coverage, recall@5, mrr: as above, in the evidence of this budget.
//   - recall: the mean of |S| / |G| over the questions with gold records, at any
//     rank.
//   - set_recall: of the questions with two gold records or more, the share of
//     those with S = G.
//   - sections: the mean of |S(s)| / |G| over the questions with gold records, 0 for a
//     question whose evidence lacks the section. A record that two sections show counts
//     in both.
//   - graph_gain: the mean of |S* \ P| / |G|, what the graph alone adds to plain search.
//   - graph_cost: the mean of |P \ S| / |G|, what plain search shows and the method
//     does not: the graph's items took the place, or, in a method without a graph, its
//     search lacks them. Recall less that of plain search is
//     graph_gain less graph_cost, plus what the method's own text search shows of G
//     beyond P.
//   - ci: the interval of coverage less bm25's with the same budget, or of recall if no
//     question has answers; naive_ci: of the same less plain search's; graph_ci: that of
//     graph_gain less graph_cost. All as above.
//   - answers: the figures of the answers from this evidence; see below.
//   - rows: tokens, coverage, |S|, |S* \ P|, |P \ S| and the scores of the answer by
//     question ([AtRows]): all of the above but sections can be repeated from them.
//   - answered, golden, several: how many questions have known answers, gold
//     records, two or more of these.
//
// # Answers
//
// With Options.Answers a model answers every question from what each method
// retrieved, or from what the method condenses that to ([method.System.Condense]). All
// methods are asked by one prompt at temperature 0: questions with known answers
// for the shortest answer that is right, others as ask does. With OwnPrompts all
// are asked as ask does. AnswerOptions.Style asks all methods for answers of one form.
// Citations are taken out before an answer is measured.
//
// The scores are those of package metric, means over the questions with known
// answers; an answer that failed, or that found nothing to answer from, counts
// as an empty one. A question with "options":[...] is one of multiple choice,
// "answer_idx":"B" naming the right one: choice is the share of right choices,
// and for the other scores the text of the chosen option stands for its letter.
//
// With Options.At there are answers for each budget too, from the evidence within it
// ([AtFigure].Answers), and [Judging].At has the verdicts on them. The model is asked once
// for what two budgets or methods ask by one prompt. [AnswerPlan] counts all of them, and
// [PlanAnswers] tells it without a run.
//
// Tokens and money are what the replies cost when they were paid, also if
// they were kept already, or if another budget or method shares them.
//
// # Judges
//
// A judge is asked which of two answers is better, for each two methods, and for
// each method and the first known answer, in both orders. An answer wins if both
// orders name it; if they disagree, or none is better, it is a tie. Equal
// answers tie unasked. Verdicts are kept in the bucket verdicts, without any
// text; what the judge wrote is kept as other replies are. A verdict that could
// not be had is counted, and asked for again by the next run.
//
// # Other systems
//
// A data set may have recorded.jsonl, what other systems retrieved for its
// questions: {"system","question_id","retrieved":[record ids]}. They become
// rows with the same figures, marked as recorded, each over the questions that
// it was asked. Their context is the whole text of those records.
//
// # Sweeps
//
// A [Sweep] gives every method that has a parameter a row for each value.
// Parameters that the index depends on make an index of their own.
//
// # Growth
//
// With a [GrowthPlan] the corpus is inserted into a second, temporary database
// step by step as well. [Growth] says what each step cost in calls, tokens and
// time, with what all methods share, and how the methods do after it: on 250 of
// the questions, evenly spread, and after the last step on all. The index of
// everything at once is in the report's Methods beside it.
//
// # Packs and pages
//
// A [Pack] holds reports with digests of the evidence for each question and the
// replies of paid models: with the data set at hand a run is repeated from it
// without a model, and [PackSet.Differences] says whether it comes out the same.
// [WriteHTML] writes reports as one page.
//
// # Data that is not as it should be
//
// A record that cannot be read is left out, as it would be in use, and Notify
// is told; a line of the questions that cannot be read is an error.
//
// A database that is kept serves one data set, joined or not, and one way to
// extract: another one's documents would be found beside it, and what is
// indexed is not read again. A run that differs ends with an error.
package eval
