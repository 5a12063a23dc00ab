package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ragdb/ragdb/kv"
)

// manifestName is the name of the file that says what a backup holds. It is
// written last: a directory without it is not a backup.
const manifestName = "MANIFEST.json"

// backupData is the folder of a backup that holds the database's files.
const backupData = "data"

// manifestVersion is the number of the manifest's own format.
const manifestVersion = 1

// Manifest describes a backup.
type Manifest struct {
	Version int       `json:"v"`
	UUID    string    `json:"uuid"`   // of the database, in hexadecimal
	Epoch   uint64    `json:"epoch"`  // of the last commit in it
	Format  uint32    `json:"format"` // of the database
	Created time.Time `json:"created"`
	// Files are all files of the data folder, by name.
	Files []backupFile `json:"files"`
}

// backupFile is a file of a backup.
type backupFile struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"` // in hexadecimal
}

// maxManifest bounds what is read of a manifest.
const maxManifest = 64 << 20

// ReadManifest reads the manifest of the backup in dir. A directory without
// one is [ErrNotFound]; one of another format is a [*FormatError].
func ReadManifest(dir string) (*Manifest, error) {
	m, err := readManifest(dir)
	if err != nil {
		return nil, phase.Errorf("backup %s: %w", dir, err)
	}
	return m, nil
}

func readManifest(dir string) (*Manifest, error) {
	f, err := os.Open(filepath.Join(dir, manifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: no %s there", ErrNotFound, manifestName)
	}
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(io.LimitReader(f, maxManifest))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	damaged := func(format string, args ...any) (*Manifest, error) {
		return nil, &kv.CorruptError{File: manifestName, Why: fmt.Sprintf(format, args...)}
	}
	m := new(Manifest)
	if err := json.Unmarshal(b, m); err != nil {
		return damaged("%v", err)
	}
	if m.Version != manifestVersion || m.Format != Format {
		have := m.Format
		if m.Version > manifestVersion {
			have = max(have, Format+1)
		}
		if have == Format {
			return damaged("a manifest of version %d", m.Version)
		}
		return nil, &FormatError{Path: dir, Have: have, Want: Format, MinReads: have}
	}
	last := ""
	for _, x := range m.Files {
		if x.Name <= last || x.Name != filepath.Base(x.Name) || strings.ContainsAny(x.Name, `/\:`) || x.Name == ".." {
			return damaged("file name %q", x.Name)
		}
		last = x.Name
	}
	if len(m.Files) == 0 {
		return damaged("it names no files")
	}
	return m, nil
}

// write writes m to a file, and makes it durable.
func (m *Manifest) write(f *os.File) error {
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	_, err = f.Write(append(b, '\n'))
	return errors.Join(err, f.Sync())
}

// syncDir makes the names in a directory durable, if the system can.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrInvalid) || errors.Is(err, fs.ErrPermission) {
		err = nil // Windows opens directories for reading only
	}
	return errors.Join(err, d.Close())
}

// copyBlock is how much is read between two looks at the context.
const copyBlock = 1 << 20

// copyHashed copies r to w and returns what was copied, as a manifest names
// it.
func copyHashed(ctx context.Context, w io.Writer, r io.Reader, name string) (backupFile, error) {
	h := sha256.New()
	out := backupFile{Name: name}
	for {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		n, err := io.CopyN(io.MultiWriter(w, h), r, copyBlock)
		out.Size += n
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return out, err
		}
	}
	out.SHA256 = hex.EncodeToString(h.Sum(nil))
	return out, nil
}
