package load_test

import (
	"context"
	"errors"
	"fmt"
	"testing/fstest"

	"github.com/ragdb/ragdb/rag/load"
)

// A folder with one bad file: its error is one line, the walk goes on.
func ExampleWalk() {
	folder := fstest.MapFS{
		"docs/guide.md":   {Data: []byte("# Guide\n\nRead *this* first.\n")},
		"docs/old.txt":    {Data: []byte("caf\xe9")},
		"docs/faq.jsonl":  {Data: []byte(`{"id":"q1","title":"Why?","text":"Because."}` + "\n")},
		"docs/photo.jpeg": {Data: []byte("\xff\xd8\xff")},
	}
	for d, err := range load.Walk(context.Background(), folder, "docs", nil) {
		var bad *load.FileError
		switch {
		case errors.As(err, &bad):
			fmt.Println("skipped:", bad)
		case err != nil:
			fmt.Println("stopped:", err)
		default:
			fmt.Printf("%s: %q\n", d.Key, d.Text)
		}
	}
	// Output:
	// q1: "Why?\nBecause."
	// guide.md: "Guide\nRead this first."
	// skipped: docs/old.txt:1: is not valid UTF-8 (byte 0xe9): it looks like Latin-1 or Windows-1252; convert it to UTF-8 first
}

// A block of the text leads back to the headings and the bytes of the file.
func ExampleBlock() {
	const file = "# Manual\n\n## Install\n\n### Linux\n\nUnpack the *archive*.\n"
	folder := fstest.MapFS{"manual.md": {Data: []byte(file)}}
	for d, err := range load.Walk(context.Background(), folder, "manual.md", nil) {
		if err != nil {
			fmt.Println(err)
			return
		}
		p := d.Blocks[len(d.Blocks)-1]
		fmt.Printf("%q\n%s\n%s\n", d.Text, p.Heading, file[p.Source[0]:p.Source[1]])
	}
	// Output:
	// "Manual\nInstall\n\nLinux\n\nUnpack the archive."
	// Install > Linux
	// Unpack the *archive*.
}
