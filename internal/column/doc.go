// Package column codes the values of properties column by column: a block has up to
// [MaxRows] rows, and each column holds one value of a row at most. A column of one kind
// is read into a [Vector] in one pass; a reader that wants one column reads no other.
//
// # Bytes
//
// Numbers marked uvarint and varint are those of encoding/binary. A block is
//
//	1                          the version
//	uvarint                    rows
//	uvarint                    columns
//	for each column: uvarint, uvarint   its id less the one before (the first: its id), and its bytes
//	the columns
//
// A column begins with a byte of flags: 1 if rows lack a value, 2 if its values are of
// several kinds. Then come, if rows lack a value, a bitmap of the rows that have one, eight
// rows a byte from the lowest bit on; the kind in a byte, or the kinds of all values as numbers;
// and the values of the rows that have one, in order: those of number kinds as numbers,
// then those of float kinds, then texts.
//
// Numbers are a byte of form and what it says, arithmetic being modulo 2^64:
//
//	0  varint least, byte width                 each less the least
//	1  varint first, varint least, byte width   from the second on, the difference to the one before, less the least
//
// and then the differences in width bits each, from the lowest bit of the first byte on.
// A width is 0 to 56 or 64. Floats are a byte: 0 to 6 if each is a whole number divided by
// that power of ten, which are then written as numbers, or 255 before the bits of each as numbers.
//
// Texts are a byte of form: 0 and the texts of all rows, or 1, uvarint entries, the different
// texts in order, and for each row the number of its entry as numbers. Texts are written as
// their lengths, as numbers, and their bytes.
//
// The writer takes whatever is shortest, so the same values give the same bytes.
package column
