package holder

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// kind says what a frame is.
type kind byte

// The kinds of frames. A holder sends those of the second group.
const (
	kindStart     kind = 'S' // Start as JSON, the first frame
	kindInput     kind = 'i' // bytes of standard input, at most one frame for each kindWant
	kindInputEnd  kind = 'e' // the end of standard input; the text of an error, if any
	kindInterrupt kind = 'c' // an interrupt, or with the byte 1 the wish to end
	kindLine      kind = 'l' // the answer to kindPrompt: line as JSON
	kindTyped     kind = 'q' // what is to be completed: typed as JSON

	kindOutput   kind = 'o' // bytes of standard output
	kindError    kind = 'r' // bytes of standard error
	kindWant     kind = 'n' // standard input is wanted
	kindPrompt   kind = 'p' // a line is wanted: prompt as JSON
	kindRemember kind = 'h' // a line of history
	kindWords    kind = 'k' // the answer to kindTyped: words as JSON
	kindTaken    kind = 't' // an answer to kindInterrupt: the byte 1 if the command goes on
	kindExit     kind = 'x' // the exit code, four bytes; the last frame
	kindAgain    kind = 'a' // the command is to be started again; the last frame
)

// most is the length that a frame of a kind may have; 0 is an unknown kind.
func (k kind) most() int {
	switch k {
	case kindStart:
		return 16 << 20
	case kindInput, kindOutput, kindError:
		return dataBytes
	case kindLine, kindTyped, kindPrompt, kindRemember, kindWords:
		return 4 << 20
	case kindInputEnd:
		return 4 << 10
	case kindExit:
		return 4
	case kindInterrupt, kindWant, kindAgain, kindTaken:
		return 1
	}
	return 0
}

// dataBytes is the length of the longest frame of a stream.
const dataBytes = 64 << 10

// errFrame is the error of a peer that does not keep to the protocol.
var errFrame = errors.New("the other process does not keep to the protocol")

// headBytes is the length of a frame's head: the kind, and the length of what follows as
// four bytes, the highest first.
const headBytes = 5

// readFrame reads a frame. At the end of the stream the error is [io.EOF], within a frame
// it is [io.ErrUnexpectedEOF].
func readFrame(r io.Reader) (kind, []byte, error) {
	var head [headBytes]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	k, n := kind(head[0]), binary.BigEndian.Uint32(head[1:])
	if most := k.most(); most == 0 {
		return 0, nil, fmt.Errorf("%w: a frame of the kind %#x", errFrame, head[0])
	} else if int64(n) > int64(most) {
		return 0, nil, fmt.Errorf("%w: a frame of %d bytes", errFrame, n)
	}
	// A length that is not kept costs no memory: what is there is read in pieces.
	b := make([]byte, 0, min(int(n), dataBytes))
	for len(b) < int(n) {
		from := len(b)
		b = append(b, make([]byte, min(int(n)-from, dataBytes))...)
		if _, err := io.ReadFull(r, b[from:]); err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return 0, nil, err
		}
	}
	return k, b, nil
}

// appendFrame appends a frame, whose content must not be longer than its kind allows.
func appendFrame(dst []byte, k kind, b []byte) []byte {
	dst = append(dst, byte(k))
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(b)))
	return append(dst, b...)
}
