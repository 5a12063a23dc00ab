package load

import (
	"errors"

	"github.com/ragdb/ragdb/internal/memory"
	"github.com/ragdb/ragdb/rag/internal/pdf"
)

// pdfFileRatio is how many times larger than a document a PDF file may be,
// since it holds fonts and pictures, too.
const pdfFileRatio = 8

// pdfWorkRatio is how many bytes may be looked at or unpacked for each byte of a
// PDF file, beside [pdfFileRatio] for each that a document may have.
const pdfWorkRatio = 16

// pdfMemoryRatio is how many bytes of memory a byte of a PDF file takes at most while the
// file is read.
const pdfMemoryRatio = 20

// pdf reads a PDF file: a block a paragraph, with its page. The format is rich
// enough for a mistake of the reader to remain: one file, not the run, pays.
func (w *walker) pdf(in *input) (d *draft, err error) {
	defer func() {
		if r := recover(); r != nil {
			d, err = nil, refuse(0, ErrMalformed, "cannot be read: a mistake of the PDF reader (%v)", r)
		}
	}()
	limit := pdfFileRatio * min(w.opt.MaxDocBytes, 1<<40)
	b, err := in.all(limit)
	if errors.Is(err, ErrTooLarge) {
		return nil, refuse(0, ErrTooLarge, "the file is larger than %s, %d times the limit for a document", sizeText(limit), pdfFileRatio)
	}
	if err != nil {
		return nil, err
	}
	need := pdfMemoryRatio * int64(len(b))
	if err := w.opt.Memory.Grow(w.ctx, need); errors.Is(err, memory.ErrOver) {
		return nil, refuse(0, ErrTooLarge, "takes up to %s of memory to read; raise the memory budget", sizeText(need))
	} else if err != nil {
		return nil, err
	}
	defer w.opt.Memory.Shrink(need)
	f, err := pdf.Open(w.ctx, b, pdf.Options{Text: w.opt.MaxDocBytes, Work: limit + pdfWorkRatio*int64(len(b))})
	if err != nil {
		return nil, pdfError(err)
	}
	var out body
	for n := range f.Pages() {
		out.page = n + 1
		paragraphs, err := f.Page(n)
		if err != nil {
			return nil, pdfError(err)
		}
		for _, p := range paragraphs {
			out.separate(newParagraph)
			out.add(p, "", unknown)
		}
	}
	if out.text.Len() == 0 {
		return nil, refuse(0, ErrNoText, "has no text on any page (pages: %d): pictures of text must be recognised (OCR) first", f.Pages())
	}
	if int64(out.text.Len()) > w.opt.MaxDocBytes {
		return nil, tooLarge(0, "text", w.opt.MaxDocBytes)
	}
	d = &draft{title: cut(f.Title(), maxTitleBytes), titleSrc: unknown, text: out.text.String(), blocks: out.blocks}
	if lang := f.Lang(); isLanguageTag(lang) {
		d.lang = lang
	}
	return d, nil
}

// pdfError says in a sentence why a PDF file could not be read.
func pdfError(err error) error {
	switch {
	case errors.Is(err, pdf.ErrNotPDF):
		return refuse(0, ErrMalformed, "is not a PDF file")
	case errors.Is(err, pdf.ErrEncrypted):
		return refuse(0, ErrNoText, "is encrypted; save it without a password first")
	case errors.Is(err, pdf.ErrLimit):
		return refuse(0, ErrTooLarge, "cannot be read within the limits: %v", err)
	case errors.Is(err, pdf.ErrDamaged):
		return refuse(0, ErrMalformed, "cannot be read whole: %v", err)
	}
	return err
}
