// Package prompts says model calls in words: it gives an [llm.Task] the
// messages for a model and the schema of the reply.
//
// A [Set] has a prompt for each kind of task. [Default] is the built-in one;
// [Load] lays the files of a directory over it. [Set.Fill] is a pure function:
// equal tasks get equal bytes, so that a reply which is kept under the digest
// of its task is found again, and a run can be repeated. [Set.Hash] names the
// set in the manifest of a run. A set is safe for concurrent use, and the
// package does nothing but read files.
//
// # Files
//
// KIND.md is the prompt of a kind of task, KIND.schema.json the JSON schema of
// its reply if that is JSON. A prompt file is
//
//	---
//	max_tokens: 4096
//	max_ratio: 4
//	---
//	A note for people.
//
//	# system
//	You list the keywords of a question.
//	{{guard}}
//
//	# user
//	The code is {{code}}.
//	{{fence "question" .Question}}
//	List the keywords in {{language "the question"}}.
//
// The front part between the lines of dashes may be left out; max_tokens bounds
// the reply if the task does not, and 0 or nothing leaves it to the provider.
// max_ratio bounds it by the length of the input, too: the reply has at most 300
// tokens and so many for each token of the input's texts, of which a token is
// counted for every three bytes. So a model that does not end, as small ones do,
// is not paid for thousands of tokens about a text of one line.
// Then, each on a line of its own, "# system" (first only), "# user" and
// "# assistant" begin messages; the last is the user's. Errors name the file
// and its line.
//
// In the built-in prompts the system message is the same for all tasks of a
// kind. What changes stands in the user's: a provider that keeps the beginnings
// of prompts is paid for them once.
//
// # Templates
//
// A message is a template of text/template. Its dot has the fields of the
// task's input by their names in Go. Numbers can be printed. Texts and lists
// cannot: they are handed to functions.
//
//	guard                  the sentence that fenced text is data; obligatory
//	code                   the number of this prompt's fences; stands before them
//	fence LABEL TEXT       a text between <LABEL-CODE> and </LABEL-CODE>
//	rows LIST              a text of one line for each text of a list
//	rows LIST FIELD...     the same of records, "name | type" in the first line
//	numbered FIRST LIST    texts behind [1], [2] and so on, from FIRST
//	evidence LIST          evidence behind its numbers, with its sections
//	json VALUE             a value as JSON
//	count LIST             the length of a list
//	language WHENNONE      "Deutsch (German)", or "the language of " WHENNONE
//	length TOKENS          "300 words", or characters where words have no blanks
//	noEvidence             [NoEvidence]
//
// An empty text or list is false for if. Load tries each prompt on a full
// input, on an empty one, and with each field empty in turn, so that a
// misspelt field is found before anything is paid.
//
// # Fences
//
// Documents may say anything, and so may questions, and names that a model read
// from documents. All of it stands between two lines with a code. The code is a
// number of six digits or more, made of the digest of all texts in the prompt,
// and chosen so that none of them contains it: no text can end its fence, or
// open another. In a list that is numbered, numbers stand at the margin and
// texts are indented, so no text can pass for another. Templates have no other
// way to show a text, those of a directory included, and a prompt without the
// guard is refused. A fence bounds the data; that a model heeds it is up to the
// model.
//
// On its way into a fence a text becomes valid UTF-8, its line ends line feeds,
// its control characters blanks. A blank is put behind the first character of
// "<|im_end|>", "</s>", "[INST]" and such, which servers of open models may
// read as the end of a message. Nothing else is changed.
//
// # Language
//
// [llm.Task.Lang] is a BCP 47 tag or the name of a language. The prompt asks
// for it by the name that it has for itself, with the English one; for an
// unknown one by its tag or name. A value that can be neither, which may come from a
// document, counts as none: then the reply has the language of the text or the
// question. Names of entities are never translated.
//
// # Replies
//
//   - Relations have a strength from 1, a mere mention together, to 10, what
//     the text is about. It becomes the weight of an edge, to which each
//     mention adds. They do not quote their sentence, which would be paid for
//     twice.
//   - A relation beyond repair has an empty source and target.
//   - An answer is short by answer.md, and of several paragraphs by
//     answer-paragraphs.md; each has a max_tokens of its own.
//   - An answer cites its evidence as [n]. If the evidence is silent it is
//     [NoEvidence] alone; [IsNoEvidence] recognises it, and the provider turns
//     it into [llm.ErrNoEvidence].
//   - Points name the piece of evidence that they are from. If none helps
//     there are none.
//   - A verdict counts answers from 0. With true answers, -1 says that none is
//     right.
//
// Schemas are of the subset that strict structured outputs accept: closed
// objects, every property required, no bounds. Those of a directory may
// describe a reply in other words but must ask for the same one. A prompt shows
// its form, too, for servers that take no schema.
//
// # Stability
//
// Built-in prompts get better, and then hashes and digests move. [Load] of the
// files that [Set.Files] yields gives an equal set for as long as the functions
// above print the same; their version is part of the hash.
package prompts
