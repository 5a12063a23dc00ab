package changes_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ragdb/ragdb/cmd/ragdb/internal/changes"
	"github.com/ragdb/ragdb/rag/load"
)

// The times of the tests: a folder that has rested for quiet is told of, and nothing is
// told of within silence.
const (
	quiet   = 50 * time.Millisecond
	silence = 130 * time.Millisecond
	soon    = time.Minute // longer than anything takes
)

// both runs a test with the system's events and without.
func both(t *testing.T, test func(t *testing.T, o changes.Options)) {
	for name, poll := range map[string]time.Duration{"events": 0, "poll": 40 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, changes.Options{Poll: poll, Quiet: quiet, Most: time.Second, Now: time.Hour})
		})
	}
}

// watched is a folder under watch.
type watched struct {
	t   *testing.T
	dir string
	w   *changes.Watch
}

// open makes a folder of some files and watches it.
func open(t *testing.T, o changes.Options, files ...string) *watched {
	t.Helper()
	f := &watched{t: t, dir: filepath.Join(t.TempDir(), "docs")}
	f.make(".")
	for _, name := range files {
		f.write(name, "of the beginning")
	}
	if o.Skip != "" {
		o.Skip = filepath.Join(f.dir, o.Skip)
	}
	var err error
	if f.w, err = changes.Open(f.dir, o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.w.Close(); err != nil {
			t.Error(err)
		}
	})
	f.expect(changes.Changed)
	if (o.Poll == 0) != (f.w.Every() == 0) {
		t.Fatalf("it looks every %v: %v", f.w.Every(), f.w.Why())
	}
	return f
}

func (f *watched) make(dir string) {
	f.t.Helper()
	f.must(os.MkdirAll(filepath.Join(f.dir, dir), 0o755))
}

func (f *watched) write(name, text string) {
	f.t.Helper()
	f.make(filepath.Dir(name))
	f.must(os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o644))
}

func (f *watched) rename(from, to string) {
	f.t.Helper()
	f.must(os.Rename(filepath.Join(f.dir, from), filepath.Join(f.dir, to)))
}

func (f *watched) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// expect waits for an event and fails if it is another one.
func (f *watched) expect(want changes.Event) {
	f.t.Helper()
	if got, err := f.w.Wait(f.t.Context(), soon); got != want || err != nil {
		f.t.Fatalf("event %d, %v, want %d", got, err, want)
	}
}

// silent fails if an event comes.
func (f *watched) silent() {
	f.t.Helper()
	if got, err := f.w.Wait(f.t.Context(), silence); got != changes.Waited || err != nil {
		f.t.Fatalf("event %d, %v", got, err)
	}
}

// TestChanges changes a folder in many ways: each that concerns a file that is read is
// one event, the others are none.
func TestChanges(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		none bool
		do   func(f *watched)
	}{
		{"a new file", false, func(f *watched) { f.write("new.md", "x") }},
		{"an old file", false, func(f *watched) { f.write("a.md", "is another") }},
		{"a file of the same size", false, func(f *watched) { f.write("a.md", "OF THE BEGINNING") }},
		{"a file in a folder", false, func(f *watched) { f.write("sub/deep/b.md", "is another") }},
		{"a new folder with files", false, func(f *watched) { f.write("x/y/z.md", "x") }},
		{"a removed file", false, func(f *watched) { f.must(os.Remove(filepath.Join(f.dir, "a.md"))) }},
		{"a removed folder", false, func(f *watched) { f.must(os.RemoveAll(filepath.Join(f.dir, "sub"))) }},
		{"a renamed file", false, func(f *watched) { f.rename("a.md", "z.md") }},
		{"a renamed folder", false, func(f *watched) { f.rename("sub", "other") }},
		{"a file that becomes a document", false, func(f *watched) { f.rename("data.bin", "data.txt") }},
		{"a document that becomes hidden", false, func(f *watched) { f.rename("a.md", ".a.md") }},
		{"an editor that renames", false, func(f *watched) {
			f.write(".a.md.swp", "x")
			f.write("4913", "")
			f.must(os.Remove(filepath.Join(f.dir, "4913")))
			f.rename("a.md", "a.md~")
			f.write("a.md", "is edited")
			f.must(os.Remove(filepath.Join(f.dir, "a.md~")))
			f.must(os.Remove(filepath.Join(f.dir, ".a.md.swp")))
		}},
		{"an editor that replaces", false, func(f *watched) {
			f.write(".a.md.tmp123", "is edited")
			f.rename(".a.md.tmp123", "a.md")
		}},
		{"a hidden file", true, func(f *watched) { f.write(".hidden.md", "x") }},
		{"a hidden folder", true, func(f *watched) { f.write(".git/logs/x.md", "x") }},
		{"installed packages", true, func(f *watched) { f.write("node_modules/p/readme.md", "x") }},
		{"another format", true, func(f *watched) { f.write("data.bin", "y") }},
		{"an empty folder", true, func(f *watched) { f.make("empty") }},
		{"a file that came and went", true, func(f *watched) {
			f.write("short.md", "x")
			f.must(os.Remove(filepath.Join(f.dir, "short.md")))
		}},
		{"the folder to skip", true, func(f *watched) { f.write("a.ragdb/x.md", "x") }},
		{"a link", true, func(f *watched) {
			if os.Symlink("a.md", filepath.Join(f.dir, "link.md")) != nil {
				f.t.Skip("no links here")
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			both(t, func(t *testing.T, o changes.Options) {
				o.Skip = "a.ragdb"
				f := open(t, o, "a.md", "sub/deep/b.md", "data.bin", "a.ragdb/y.md")
				start := time.Now()
				c.do(f)
				once := time.Since(start) < quiet/2 // else it may be seen half done
				if !c.none {
					f.expect(changes.Changed)
				}
				if once {
					f.silent()
				}
				f.write("a.md", "is the last one") // it still watches
				f.expect(changes.Changed)
			})
		})
	}
}

// TestMovedFolderIsWatched writes into folders that came while the watch ran, by
// another name and in place of another.
func TestMovedFolderIsWatched(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, o changes.Options) {
		f := open(t, o, "sub/deep/b.md", "other/c.md")
		f.rename("sub", "moved")
		f.expect(changes.Changed)
		f.write("moved/deep/b.md", "is written to")
		f.expect(changes.Changed)
		f.must(os.RemoveAll(filepath.Join(f.dir, "other")))
		f.write("other/c.md", "is another folder's")
		f.expect(changes.Changed)
		f.write("other/c.md", "is written to again")
		f.expect(changes.Changed)
		f.silent()
	})
}

// TestBurst writes many files one after the other: they are one event, which comes when
// the folder rests.
func TestBurst(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, o changes.Options) {
		o.Most = time.Hour
		f := open(t, o)
		var wrote atomic.Int64
		done := make(chan error, 1)
		go func() {
			for i := range 20 {
				if err := os.WriteFile(filepath.Join(f.dir, fmt.Sprintf("%d.md", i)), []byte("x"), 0o644); err != nil {
					done <- err
					return
				}
				wrote.Add(1)
				time.Sleep(quiet / 4)
			}
			done <- nil
		}()
		for n := int64(0); n < 20; n = wrote.Load() {
			f.expect(changes.Changed) // more than one only if the machine stood still for quiet
		}
		f.must(<-done)
		f.silent()
	})
}

// TestRestless writes without a rest: what changed is told of nevertheless.
func TestRestless(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, o changes.Options) {
		o.Quiet, o.Most = time.Hour, 300*time.Millisecond
		f := open(t, o)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			for i := 0; ctx.Err() == nil; i++ {
				os.WriteFile(filepath.Join(f.dir, "a.md"), fmt.Append(nil, i), 0o644)
				time.Sleep(5 * time.Millisecond)
			}
		}()
		f.expect(changes.Changed)
		f.expect(changes.Changed)
		cancel()
		<-done
	})
}

// TestGone takes the folder away and gives it back, as an unmounted volume goes: by
// removing it, by renaming it, and so that an empty folder is in its place.
func TestGone(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, o changes.Options) {
		o.Now = 40 * time.Millisecond
		f := open(t, o, "a.md", "sub/b.md")
		away := f.dir + "-away"
		f.must(os.Rename(f.dir, away))
		f.expect(changes.Gone)
		if f.w.There() {
			t.Error("it is there")
		}
		f.silent()
		f.must(os.Rename(away, f.dir))
		f.expect(changes.Changed)
		f.write("sub/b.md", "is written to")
		f.expect(changes.Changed)

		f.must(os.Rename(f.dir, away))
		f.must(os.Mkdir(f.dir, 0o755))
		f.expect(changes.Gone)
		f.silent()
		if f.w.There() {
			t.Error("an empty folder is it")
		}
		f.must(os.Remove(f.dir))
		f.must(os.Rename(away, f.dir))
		f.expect(changes.Changed)
		if !f.w.There() {
			t.Error("it is not there")
		}

		f.must(os.RemoveAll(f.dir))
		f.expect(changes.Gone)
		f.write("c.md", "is another folder's")
		f.expect(changes.Changed)
		f.silent()

		// A folder that was emptied by hand is there.
		f.must(os.Remove(filepath.Join(f.dir, "c.md")))
		f.expect(changes.Changed)
		if !f.w.There() {
			t.Error("the emptied folder is not there")
		}
	})
}

// TestOptions reads what the options of the walk say, ends with its context, and refuses
// what is no folder.
func TestOptions(t *testing.T) {
	t.Parallel()
	o := changes.Options{Quiet: quiet, Now: time.Hour, Load: load.Options{Include: []string{"*.py"}, Format: "txt"}}
	f := open(t, o, "a.md", "b.py")
	f.write("a.md", "is not read")
	f.silent()
	f.write("b.py", "is read")
	f.expect(changes.Changed)
	f.silent()

	ctx, cancel := context.WithTimeout(t.Context(), quiet)
	defer cancel()
	if _, err := f.w.Wait(ctx, 0); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("at the end of its context: %v", err)
	}
	if _, err := changes.Open(filepath.Join(f.dir, "nowhere"), o); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
	if _, err := changes.Open(filepath.Join(f.dir, "b.py"), o); err == nil {
		t.Error("a file is a folder")
	}
}
