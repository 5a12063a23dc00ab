// Package load turns files into documents: plain text, Markdown, HTML, JSON
// lines, CSV and PDF, plain or gzip-compressed, from any [fs.FS].
//
// # Vocabulary
//
// A [Document] is one record of a corpus: a key, a title and a text. A text
// file, a Markdown file, an HTML file and a PDF file are one document each; a line of a
// JSONL file and a row of a CSV file are one each. The text of a document is
// its title, a line break and its body ([Options.NoTitle] leaves the title
// out); every span counts bytes from the start of that text. A [Block] is a
// piece of the text (a paragraph, a heading, a list item, a table or a row of one, code) with
// its kind, the headings above it and the bytes of the file it came from, so that a span of
// the text can be traced back: [Document.Locate].
//
// # Keys
//
// The key of a document is its slash path relative to the PATH that was
// walked, and its base name if PATH is the file itself. A JSONL record has
// its "id", else path:line; a CSV row has its id column, else path#row with
// rows counted from 1 below the header. [Options.KeyPrefix] is put before
// every key. Two equal keys in one run are refused: the first document stays,
// the second is a [*FileError] that wraps [ErrDuplicate]. A run of
// several walks shares one [Keys].
//
// # Formats
//
// The name decides, without regard to case: .txt .text; .md .markdown; .html
// .htm; .jsonl .ndjson; .csv .tsv; .pdf; each also with .gz behind it.
//
//   - txt: the text is the file. A block is a run of lines between blank
//     lines. Form feeds separate pages, and become line breaks.
//   - md: CommonMark. The text is what a reader sees: headings, paragraphs,
//     list items with their marks, code, tables as "a | b" rows, terms with what
//     describes them indented below; link targets, emphasis marks, comments, and the marks that
//     Hugo, Jekyll, Docusaurus, MDX and MkDocs read outside code are left out. The title is the front
//     matter's, else the first heading if that is of level one; it is not
//     repeated in the body. Front matter is the simple part of YAML: "key:
//     value", "key: [a, b]" and "- item" lines.
//   - html: title, headings and block elements become lines; script, style,
//     nav, template and other parts that are not text are dropped, and so is what
//     leads through a site, as its role, class or id or the links of a line tell. A row below the
//     header of a table, or of two, has a cell for each name there: a cell that reaches down stands in each row,
//     behind one that spans columns stand empty ones. The lang
//     attribute of html is the document's language.
//   - jsonl: an object a line: "id", "title", "text" (else "content"), "lang";
//     every other field becomes metadata.
//   - csv: a header row, then records; comma, or semicolon where the header
//     has semicolons and no comma, or tab in a .tsv file; quotes as in RFC
//     4180. Columns id, title, text (else content) and lang are recognised in
//     any case, others become metadata. Without a text or content column the
//     body is every column but id and title as a "name: value" line.
//   - pdf: the text of its pages in the order in which they draw it, a block a
//     paragraph, with the number of its page from 1. Paragraphs are put
//     together from lines by distance, indent and size, words that are
//     hyphenated at the end of a line are joined; headers, footers and tables
//     are text like any other. Title and language are those the file states.
//     Encrypted files are refused, with an empty password too, and so are files
//     without any text, which are pictures of it, and damaged ones: a part of a
//     document is never taken for the whole.
//
// # Encoding
//
// Text is UTF-8, UTF-16 with a byte order mark, or HTML in the encoding that it
// declares. Byte order marks are dropped and CRLF becomes LF, in the sources'
// offsets both are counted. Whatever else is refused with a sentence that names
// the likely encoding: guessing would put wrong names into the graph.
//
// # Limits
//
// A document has at most [Options.MaxDocBytes] bytes; sizes that a file system
// claims are never trusted for memory. Gzip may expand 200-fold once it has
// given 16 MiB. Markdown may nest 32 levels, is parsed in pieces of 32 KiB and
// without links and emphasis in a paragraph that has over 500 marks, which
// bounds the parser's quadratic cases: a file of the default limit takes half a
// minute at worst, and the context is looked at after every piece. HTML is read
// from the token stream, so that nesting costs nothing. JSON may nest 10,000
// levels. A PDF file may have eight times as many bytes as a document; reading
// it looks at, or unpacks, that many bytes and 16 times its own size at most,
// whatever its structure. A record has 1,000 fields at most, with names of up
// to 256 bytes. Symbolic links, hidden files and folders, and node_modules are not
// entered.
//
// # Tables
//
// [Records] reads what comes beside documents, such as recordings and the tables
// of GraphRAG: JSON lines and Parquet, a row at a time, of any fields.
//
// # Errors and life-cycle
//
// [Walk] yields a [*FileError] for what is wrong with one file, line or row
// and goes on; any other error (a cancelled context, a missing PATH, a wrong
// option) is the last thing it yields. Documents belong to the caller. A walk
// is sequential, starts no goroutine and gives the same documents in the same
// order for the same files. Walks may run concurrently if they share no
// [Keys].
//
// # Stability
//
// The rules for keys and for the text of txt, jsonl and csv are stable. The
// text of md, html and pdf may improve between versions, which changes digests, so
// that such documents are indexed again.
package load
