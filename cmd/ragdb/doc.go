// Command ragdb indexes documents into a directory and answers questions from
// them with citations.
//
//	ragdb demo                            see it work, without a document
//	ragdb index acme.ragdb ./docs         make a database of a folder
//	ragdb ask acme.ragdb "How long is the warranty on model B?"
//	ragdb why acme.ragdb "How long ..." c:handbook.md#3
//	ragdb acme.ragdb                      a shell: statements, questions, commands
//	ragdb acme.ragdb -c 'MATCH (d:document) RETURN d.key'
//
// ragdb help COMMAND tells more, and docs/shell.md about the shell. A word that
// is not a command is taken for the path of a database if it exists, or has a slash or
// an extension.
//
// # Output
//
// What was asked for goes to standard output, messages and progress to standard
// error. --json prints one object with "v":1 in place of text, --jsonl an
// object a line if a command has rows, and then errors are
// {"error":{"code":...,"message":...,"hint":...}} on standard error. Control
// characters in names and texts are shown escaped, in a pipe too.
//
// A command that would remove more than a fifth of the documents and more than
// five, or all of them, asks at a terminal, and elsewhere does it only with --yes.
//
// # Exit codes
//
//	0    done
//	1    failed otherwise; the code holder_gone says that the process that the command
//	     worked through ended before it
//	2    wrong usage
//	3    not found: database, namespace, document, or no documents to index
//	4    the database is open in another process, which the command cannot work through
//	5    corrupt, foreign, of another format, or check found something
//	6    a model could not be asked, or gave no usable reply
//	7    the run would cost more than --max-cost or --max-tokens; what was done is saved
//	8    partly done: some files or items failed
//	9    no evidence found (ask --fail-empty)
//	130  interrupted; what was done is saved
//
// # Settings
//
// A setting is taken from the first that has it: a flag, the environment
// (RAGDB_DB, RAGDB_MODEL, RAGDB_EMBED_MODEL, RAGDB_EXTRACT_MODEL, OPENAI_BASE_URL,
// RAGDB_EMBED_BASE_URL, NO_COLOR), ./ragdb.yaml or the file of --config, the
// database (ragdb init), $XDG_CONFIG_HOME/ragdb/config.yaml, the default. The
// files have the keys db, ns, memory, method, budget, top and progress, and of models
// model, embed-model, extract-model, base-url, embed-base-url, embed-dim, concurrency, rpm, tpm, context,
// prompts and lang. OPENAI_API_KEY, RAGDB_EMBED_API_KEY and, for fetching models,
// RAGDB_HUB and RAGDB_MODELS are read from the environment alone.
//
// If RAGDB_DB or db is set, the argument DB may be left out. A command that
// takes any number of arguments after it (index, rm) then takes its first one
// for DB only if it ends in .ragdb.
package main
