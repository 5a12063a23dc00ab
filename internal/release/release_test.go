package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

var long = flag.Bool("long", false, "build twice and compare")

// TestRelease builds for this system and looks into what was built.
func TestRelease(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the command")
	}
	here := target{runtime.GOOS, runtime.GOARCH}
	if !slices.Contains(targets(), here) {
		t.Skipf("no release is for %s", here)
	}
	t.Setenv("SOURCE_DATE_EPOCH", "1000000000")
	first, second := t.TempDir(), t.TempDir()
	if err := run(first, here.String(), true); err != nil {
		t.Fatal(err)
	}
	sums := read(t, first, "SHA256SUMS")
	if *long {
		if err := run(second, here.String(), true); err != nil {
			t.Fatal(err)
		}
		if again := read(t, second, "SHA256SUMS"); !bytes.Equal(sums, again) {
			t.Errorf("two builds differ:\n%s%s", sums, again)
		}
	}
	var archive, bom string
	for line := range strings.Lines(string(sums)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		if got := fmt.Sprintf("%x", sha256.Sum256(read(t, first, name))); got != sum {
			t.Errorf("%s has the sum %s, and not %s", name, got, sum)
		}
		if strings.HasSuffix(name, ".cdx.json") {
			bom = name
		} else {
			archive = name
		}
	}
	files := unpack(t, archive, read(t, first, archive))
	folder := strings.TrimSuffix(strings.TrimSuffix(archive, ".zip"), ".tar.gz")
	command := folder + "/ragdb"
	if here.os == "windows" {
		command += ".exe"
	}
	for _, name := range []string{command, folder + "/LICENSE", folder + "/README.md", folder + "/LICENSES-OF-MODULES.txt", folder + "/man/man1/ragdb-index.1",
		folder + "/completions/ragdb.bash", folder + "/completions/_ragdb", folder + "/completions/ragdb.fish", folder + "/completions/ragdb.ps1"} {
		if len(files[name]) == 0 {
			t.Errorf("%s has no %s", archive, name)
		}
	}
	if !bytes.Contains(files[folder+"/LICENSES-OF-MODULES.txt"], []byte("github.com/cockroachdb/pebble/v2 v")) {
		t.Error("a module's licence is missing")
	}
	path := filepath.Join(t.TempDir(), filepath.Base(command))
	if err := os.WriteFile(path, files[command], 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(path, "version").CombinedOutput(); err != nil || !bytes.HasPrefix(out, []byte("ragdb ")) {
		t.Errorf("it prints %s, %v", out, err)
	}
	checkBill(t, path, read(t, first, bom))
}

// checkBill compares a bill with what the command records of itself.
func checkBill(t *testing.T, path string, data []byte) {
	t.Helper()
	var b bill
	if err := json.Unmarshal(data, &b); err != nil {
		t.Fatal(err)
	}
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]component{}
	for _, c := range b.Components {
		have[c.Name+" "+c.Version] = c
	}
	unlicensed := 0
	for _, d := range info.Deps {
		c, ok := have[d.Path+" "+d.Version]
		if !ok || !slices.Contains(c.Properties, property{"go:h1", d.Sum}) {
			t.Errorf("%s %s is missing, or has another sum: %+v", d.Path, d.Version, c)
		}
		if len(c.Licenses) == 0 {
			unlicensed++
			t.Logf("%s: its licence is not certain", d.Path)
		}
	}
	if len(b.Components) != len(info.Deps)+1 || len(b.Dependencies) != len(info.Deps)+2 || unlicensed > 5 {
		t.Errorf("%d components and %d dependencies of %d modules, %d without a licence", len(b.Components), len(b.Dependencies), len(info.Deps), unlicensed)
	}
	if b.Metadata.Timestamp != "2001-09-09T01:46:40Z" || b.Metadata.Component.Licenses[0].License.ID != "Apache-2.0" {
		t.Errorf("%+v", b.Metadata)
	}
}

func read(t *testing.T, dir, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// unpack returns the files of an archive, whose times are all the same.
func unpack(t *testing.T, name string, b []byte) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	at := time.Unix(1000000000, 0)
	add := func(name string, modified time.Time, mode os.FileMode, r io.Reader) {
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		base := strings.TrimSuffix(filepath.Base(name), ".exe")
		if !modified.Equal(at) || (mode == 0o755) != (base == "ragdb") {
			t.Errorf("%s is of %v, mode %v", name, modified, mode)
		}
		out[name] = data
	}
	if strings.HasSuffix(name, ".zip") {
		z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range z.File {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			add(f.Name, f.Modified, f.Mode(), r)
		}
		return out
	}
	gz, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(gz); ; {
		h, err := r.Next()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		add(h.Name, h.ModTime, os.FileMode(h.Mode), r)
	}
}

// TestArchives packs some files in both forms.
func TestArchives(t *testing.T) {
	t.Parallel()
	files := []file{{"ragdb", []byte("a command"), 0o755}, {"man/man1/ragdb-index.1", []byte("a page"), 0o644}}
	for name, pack := range map[string]func(string, []file, time.Time) ([]byte, error){"a.zip": zipped, "a.tar.gz": tarball} {
		b, err := pack("f", files, time.Unix(1000000000, 0).UTC())
		if err != nil {
			t.Fatal(err)
		}
		got := unpack(t, name, b)
		if again, err := pack("f", files, time.Unix(1000000000, 0).UTC()); err != nil || !bytes.Equal(again, b) {
			t.Errorf("%s: the second time it has other bytes, %v", name, err)
		}
		for _, f := range files {
			if !bytes.Equal(got["f/"+f.name], f.data) {
				t.Errorf("%s: %s is %q", name, f.name, got["f/"+f.name])
			}
		}
	}
}

// TestLicenceOf tells licences apart, and says nothing if there are several.
func TestLicenceOf(t *testing.T) {
	t.Parallel()
	const mit = "Permission is hereby granted, free of charge,\n to any person obtaining a copy"
	const bsd = "Redistribution and use in source and binary forms, with or without modification"
	for _, c := range []struct {
		want  string
		texts []file
	}{
		{"MIT", []file{{name: "LICENSE", data: []byte(mit)}}},
		{"MIT", []file{{name: "LICENSE", data: []byte(mit)}, {name: "NOTICE", data: []byte(bsd)}}},
		{"BSD-2-Clause", []file{{name: "LICENSE", data: []byte(bsd)}}},
		{licenceBSD3, []file{{name: "LICENSE", data: []byte(bsd + " Neither the name of")}}},
		{"Apache-2.0", []file{{name: "LICENSE", data: []byte("Apache License\n   Version 2.0, January 2004")}}},
		{"", []file{{name: "LICENSE", data: []byte(mit + bsd)}}},
		{"", []file{{name: "LICENSE", data: []byte(mit)}, {name: "COPYING", data: []byte("GNU General Public License")}}},
		{"", []file{{name: "LICENSE", data: []byte("All rights reserved.")}}},
		{"", nil},
	} {
		if got := licenceOf(c.texts); got != c.want {
			t.Errorf("%v: %q, want %q", c.texts, got, c.want)
		}
	}
}
