package pebblekv

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// witnessName is the name of the file that keeps the facts of a store.
const witnessName = "SYNCED"

// The file has two slots. The first takes a record after every sync of a log or
// manifest and is not synced itself; the second is synced before a file that the
// newest record names may go. A record is
//
//	checksum   4  crc32c of the rest; little-endian, like all numbers
//	version    2
//	facts      2  their number
//	generation 8  of two sound records the one with the greater number counts
//	facts, each:
//	  kind   1  L: log, M: manifest, O: options
//	  number 8  of the file
//	  length 8  of the start of the file that is on stable storage
//	  sum    4  crc32c of that start
const (
	slotBytes      = 4096
	recordHeader   = 16
	factBytes      = 21
	maxFacts       = (slotBytes - recordHeader) / factBytes
	witnessVersion = 1
)

// The kinds of files that a fact is about.
const (
	logFile      = 'L'
	manifestFile = 'M'
	optionsFile  = 'O'
)

// fact says that the first length bytes of a file are on stable storage, and
// what they are.
type fact struct {
	kind   byte
	number uint64
	length uint64
	sum    uint32
}

// name returns the name of the file.
func (f fact) name() string {
	switch f.kind {
	case logFile:
		return fileNumber(f.number) + ".log"
	case manifestFile:
		return "MANIFEST-" + fileNumber(f.number)
	}
	return "OPTIONS-" + fileNumber(f.number)
}

func fileNumber(n uint64) string {
	s := strconv.FormatUint(n, 10)
	return strings.Repeat("0", max(0, 6-len(s))) + s
}

// factOf returns the empty fact of a file with this name, if facts are kept of
// its kind.
func factOf(name string) (f fact, ok bool) {
	digits, kind := "", byte(0)
	if rest, ok := strings.CutSuffix(name, ".log"); ok {
		digits, kind = rest, logFile
	} else if rest, ok := strings.CutPrefix(name, "MANIFEST-"); ok {
		digits, kind = rest, manifestFile
	} else if rest, ok := strings.CutPrefix(name, "OPTIONS-"); ok {
		digits, kind = rest, optionsFile
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	return fact{kind: kind, number: n}, err == nil
}

// extend adds bytes to the end of what the fact is about.
func (f *fact) extend(b []byte) {
	f.length += uint64(len(b))
	f.sum = crc32.Update(f.sum, castagnoli, b)
}

// read makes f say that all of a file is on stable storage.
func (f *fact) read(fsys vfs.FS, name string) error {
	file, err := fsys.Open(name)
	if err != nil {
		return err
	}
	sum := crc32.New(castagnoli)
	n, err := io.Copy(sum, file)
	f.length, f.sum = uint64(n), sum.Sum32()
	return errors.Join(err, file.Close())
}

// witness keeps, in a file beside the store's, what is on stable storage of its
// logs, its manifest and its options. Without it, a last log that was cut,
// deleted or damaged looks like one whose end a crash has torn.
//
// It never claims what a crash may lose: a fact is recorded after the sync that
// makes it true, and is gone from stable storage before its file goes.
type witness struct {
	fs  vfs.FS
	dir string

	mu         sync.Mutex
	on         bool // records are written; before that they are only collected
	file       vfs.File
	generation uint64
	facts      []fact
	buf        [slotBytes]byte
}

// state is what a witness file says.
type state struct {
	generation uint64
	facts      []fact
}

// start begins to write records, with the first one synced.
func (w *witness) start() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.on = true
	return w.settle()
}

// writeWitness makes the witness of a store that was copied to dir and is not
// open.
func writeWitness(fsys vfs.FS, dir string) error {
	names, err := fsys.List(dir)
	if err != nil {
		return err
	}
	w := &witness{fs: fsys, dir: dir}
	for _, name := range names {
		f, ok := factOf(name)
		if !ok {
			continue
		}
		if err := f.read(fsys, fsys.PathJoin(dir, name)); err != nil {
			return err
		}
		w.keep(f)
	}
	err = w.start()
	w.abandon()
	return err
}

// note records that f is true now.
func (w *witness) note(f fact) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.set(f)
	if !w.on {
		return nil
	}
	return w.write(0)
}

// keep notes f with the next record.
func (w *witness) keep(f fact) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.set(f)
}

func (w *witness) set(f fact) {
	w.drop(func(old fact) bool {
		return old.kind == f.kind && (old.number == f.number || f.kind == optionsFile)
	})
	w.facts = append(w.facts, f)
}

func (w *witness) drop(which func(f fact) bool) (dropped bool) {
	n := len(w.facts)
	w.facts = slices.DeleteFunc(w.facts, which)
	return len(w.facts) < n
}

// retire drops the fact of a file that is about to go. The file may go after nil.
func (w *witness) retire(f fact) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	gone := w.drop(func(old fact) bool { return old.kind == f.kind && old.number == f.number })
	if !gone || !w.on || f.kind == optionsFile {
		return nil // options that are missing do no harm
	}
	return w.settle()
}

// sync makes what is noted durable.
func (w *witness) sync() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.on {
		return nil
	}
	return w.settle()
}

// finish makes a last record, without logs: tables hold all that they held.
func (w *witness) finish() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.drop(func(f fact) bool { return f.kind == logFile })
	return w.settle()
}

// abandon closes the file as it is.
func (w *witness) abandon() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.on = false
	if w.file != nil {
		_ = w.file.Close() // what counts was synced
		w.file = nil
	}
}

// settle makes the facts durable. The second slot is synced before the first is
// written, so that one of them is sound at any time.
func (w *witness) settle() error {
	if err := w.write(1); err != nil {
		return err
	}
	if err := w.file.Sync(); err != nil {
		return err
	}
	return w.write(0)
}

func (w *witness) write(slot int64) error {
	if w.file == nil {
		if err := w.open(); err != nil {
			return err
		}
	}
	w.generation++
	n := encodeState(w.buf[:], state{w.generation, w.facts})
	_, err := w.file.WriteAt(w.buf[:n], slot*slotBytes)
	return err
}

// open opens the file for writing, and makes it if it is not there.
func (w *witness) open() error {
	name := w.fs.PathJoin(w.dir, witnessName)
	f, err := w.fs.OpenReadWrite(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	w.file = f
	info, err := f.Stat()
	if err != nil || info.Size() >= 2*slotBytes {
		return err
	}
	if _, err := f.WriteAt(make([]byte, 2*slotBytes), 0); err != nil {
		return err
	}
	d, err := w.fs.OpenDir(w.dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// encodeState writes a record to b and returns its length. If there are more
// facts than a record takes it leaves out the first, which are the oldest.
func encodeState(b []byte, s state) int {
	facts := s.facts[max(0, len(s.facts)-maxFacts):]
	binary.LittleEndian.PutUint16(b[4:], witnessVersion)
	binary.LittleEndian.PutUint16(b[6:], uint16(len(facts)))
	binary.LittleEndian.PutUint64(b[8:], s.generation)
	at := recordHeader
	for _, f := range facts {
		b[at] = f.kind
		binary.LittleEndian.PutUint64(b[at+1:], f.number)
		binary.LittleEndian.PutUint64(b[at+9:], f.length)
		binary.LittleEndian.PutUint32(b[at+17:], f.sum)
		at += factBytes
	}
	binary.LittleEndian.PutUint32(b, crc32.Checksum(b[4:at], castagnoli))
	return at
}

// decodeState reads the record at the start of b, if a sound one is there.
func decodeState(b []byte) (s state, ok bool) {
	if len(b) < recordHeader || binary.LittleEndian.Uint16(b[4:]) != witnessVersion {
		return s, false
	}
	n := int(binary.LittleEndian.Uint16(b[6:]))
	end := recordHeader + n*factBytes
	if end > len(b) || crc32.Checksum(b[4:end], castagnoli) != binary.LittleEndian.Uint32(b) {
		return s, false
	}
	s.generation = binary.LittleEndian.Uint64(b[8:])
	for at := recordHeader; at < end; at += factBytes {
		s.facts = append(s.facts, fact{
			kind:   b[at],
			number: binary.LittleEndian.Uint64(b[at+1:]),
			length: binary.LittleEndian.Uint64(b[at+9:]),
			sum:    binary.LittleEndian.Uint32(b[at+17:]),
		})
	}
	return s, true
}
