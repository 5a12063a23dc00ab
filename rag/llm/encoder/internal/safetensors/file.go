package safetensors

import (
	"encoding/binary"
	"fmt"
	"os"
	"runtime/debug"
)

// File is an open file.
type File struct {
	tensors map[string]Tensor
	data    []byte
	unmap   func() error
}

// Open opens the file at path. The errors of a wrong file are [ErrFormat].
func Open(path string) (*File, error) {
	// A pipe is not opened: that would wait for a writer.
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w: it is not a regular file", path, ErrFormat)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, err
	}
	data, unmap, err := load(f, info.Size())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	file := &File{data: data, unmap: unmap}
	err = file.Guard(func() (err error) {
		file.tensors, err = parse(data)
		return err
	})
	if err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return file, nil
}

// Tensor returns the tensor of the name, if the file has it.
func (f *File) Tensor(name string) (Tensor, bool) {
	t, ok := f.tensors[name]
	return t, ok
}

// Len is the number of tensors.
func (f *File) Len() int { return len(f.tensors) }

// Header is the header as it is written, which tells files of other tensors apart.
func (f *File) Header() []byte { return f.data[8 : 8+binary.LittleEndian.Uint64(f.data)] }

// Guard calls use, which reads tensors. If the file was cut after it had been
// opened, use ends at the first read of what is missing and Guard returns an
// [ErrFormat].
func (f *File) Guard(use func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch p := recover().(type) {
		case nil:
		case interface{ Addr() uintptr }:
			err = fmt.Errorf("%w: its bytes cannot be read: it was cut while it was open", ErrFormat)
		default:
			panic(p)
		}
	}()
	return use()
}

// Release lets the system take back the memory of the pages read so far. They
// are read again when they are used.
func (f *File) Release() { release(f.data) }

// Close ends the use of the file. Views of tensors are invalid after it.
func (f *File) Close() error {
	f.tensors, f.data = nil, nil
	if f.unmap == nil {
		return nil
	}
	unmap := f.unmap
	f.unmap = nil
	return unmap()
}
