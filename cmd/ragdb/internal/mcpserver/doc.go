// Package mcpserver gives the databases of package service to language models, as a server
// of the Model Context Protocol: tools that ask, search and look, and documents and chunks
// as resources. [Serve] speaks to one client over two streams, [Handler] to many over HTTP.
//
// A tool's result is there twice: as the JSON that the command prints with --json, and as
// text for models. Both are cut to the same number of tokens, and say what was left out
// and how to get it. In the text, what documents say stands between marks that the
// documents cannot know; see page.
//
// Errors of tools are results (isError) of one sentence that says what to do, also if the
// arguments do not fit the schema, so that a model can correct itself.
package mcpserver
