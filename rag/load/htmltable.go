package load

import (
	"strconv"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/ragdb/ragdb/rag/internal/text"
)

// htmlTable is an open table of a page. The rows below a header are lines in which
// every cell stands behind the name of its column, whatever blocks the cell has. A
// table without a header may only lay out the page: its cells hold blocks as any
// other part does, and those of a row share a line as far as they have none.
type htmlTable struct {
	header *header // nil before one was read
	said   bool    // a row stands below the header
	// The open row. named says that its cells are collected: it stands below a
	// header, or may be one.
	open, named bool
	cells       []tableCell
	head        bool // all its cells are th, or it stands in thead
	thead       bool
	inner       int // open tables in the open cell
	start, end  int // of the row in the input
	from, to    int // of the header
}

// table returns the innermost table whose rows count, nil for none.
func (h *htmlReader) table() *htmlTable {
	if len(h.tables) == 0 {
		return nil
	}
	return h.tables[len(h.tables)-1]
}

// inCell reports whether text belongs to a cell that is collected.
func (h *htmlReader) inCell() bool {
	t := h.table()
	return t != nil && t.open && t.named && len(t.cells) > 0
}

// startInCell takes a start tag within a cell that is collected, in which blocks
// only part words, and reports whether it did.
func (h *htmlReader) startInCell(a atom.Atom, r role) bool {
	t := h.table()
	switch {
	case r == roleInline || r == roleDrop || r == roleImage:
		return false
	case a == atom.Table:
		t.inner++
		r = roleInnerTable
	case t.inner == 0 && (r == roleRow || r == roleCell || r == roleRows):
		return false
	default:
		r = roleInline
	}
	if a == atom.Li && h.line.Len() > 0 {
		h.line.WriteByte(';')
	}
	h.space = true
	if a != atom.Br && a != atom.Hr {
		h.push(a, r)
	}
	return true
}

// startRow begins a row.
func (h *htmlReader) startRow() {
	h.endRow()
	h.cells = 0
	if t := h.table(); t != nil {
		t.open, t.named, t.head = true, true, true
	}
}

// startCell begins a cell. A row without a header above it that is no header itself
// goes on as a line.
func (h *htmlReader) startCell(a atom.Atom, at tagAttributes) {
	h.endCell()
	t := h.table()
	if t != nil && t.open && t.named {
		t.head = t.head && (a == atom.Th || t.thead)
		if t.head || t.header != nil {
			t.cells = append(t.cells, tableCell{columns: spanOf(at.colspan), rows: spanOf(at.rowspan)})
			return
		}
		t.named = false
		h.cells = len(t.cells)
		for i, c := range t.cells {
			if i > 0 && h.line.Len() > 0 {
				h.line.WriteString(" | ")
			}
			h.touch(t.start, t.end)
			h.line.WriteString(c.text)
		}
		t.cells = t.cells[:0]
		if h.cells == 1 && h.line.Len() > 0 {
			h.line.WriteByte(':') // of a row that begins with its own name
			h.space = true
			h.cells++
			return
		}
	}
	if h.cells > 0 && h.line.Len() > 0 {
		h.line.WriteString(" |")
		h.space = true
	}
	h.cells++
}

// endCell ends the cell that is collected.
func (h *htmlReader) endCell() {
	if !h.inCell() {
		return
	}
	t := h.table()
	if s := h.take(); s != "" {
		if t.end == 0 {
			t.start = h.start
		}
		t.end = h.end
		c := &t.cells[len(t.cells)-1]
		c.text = strings.TrimSpace(c.text + " " + strings.Join(strings.Fields(s), " "))
	}
}

// endRow ends the open row.
func (h *htmlReader) endRow() {
	h.endCell()
	t := h.table()
	if t == nil || !t.open || !t.named {
		h.flush(newLine)
		if t != nil {
			t.open = false
		}
		return
	}
	filled := 0
	for _, c := range t.cells {
		if c.text != "" {
			filled++
		}
	}
	switch {
	case t.head && filled > 1:
		if t.header == nil || t.said {
			t.header, t.said = &header{out: h.out}, false
		}
		t.header.read(t.cells)
		t.from, t.to = min(t.from, t.start), t.end
	case filled > 0 && t.header == nil:
		h.line.WriteString(joinCells(t.cells))
		h.start, h.end = t.start, t.end
		h.flush(newLine)
	case filled > 0:
		h.sayHeader()
		h.out.kind = text.Row
		h.out.add(t.header.row(t.cells), h.outline.path, h.span(t.start, t.end))
		h.out.separate(newLine)
	}
	t.open, t.cells, t.start, t.end = false, t.cells[:0], 0, 0
}

// sayHeader adds the header of the open table before what stands below it.
func (h *htmlReader) sayHeader() {
	t := h.table()
	if t.header == nil || t.said {
		return
	}
	t.said = true
	h.out.kind = text.Table
	h.out.add(h.marker+strings.Join(t.header.names, " | "), h.outline.path, h.span(t.from, t.to))
	h.out.separate(newLine)
	h.marker = ""
}

// endTable ends the innermost table.
func (h *htmlReader) endTable() {
	h.endRow()
	h.sayHeader()
	h.tables = h.tables[:len(h.tables)-1]
	h.flush(newParagraph)
}

// spanOf returns the number of columns or rows that an attribute gives a cell.
func spanOf(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 1
	}
	return min(max(n, 1), maxColumns)
}
