package main

import (
	"bytes"
	"debug/buildinfo"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// module is a module that a command is made of.
type module struct {
	path, version, sum string
	// texts are its licence and notices, by file name.
	texts []file
	// licence is the SPDX identifier of its licence, "" if it is not certain.
	licence string
}

// modules returns the modules of a command: its own, and then the others in order.
func (r *release) modules(info *buildinfo.BuildInfo) ([]module, error) {
	out := []module{{path: info.Main.Path, version: info.Main.Version}}
	args := []string{"list", "-m", "-f", "{{.Path}}\t{{.Dir}}"}
	for _, d := range info.Deps {
		if d.Replace != nil {
			return nil, fmt.Errorf("%s is replaced by %s: a release has none", d.Path, d.Replace.Path)
		}
		out = append(out, module{path: d.Path, version: d.Version, sum: d.Sum})
		args = append(args, d.Path)
	}
	list, err := output([]string{"GOFLAGS=-mod=mod"}, r.root, "go", args...)
	if err != nil {
		return nil, err
	}
	dirs := map[string]string{info.Main.Path: r.root}
	for line := range strings.Lines(list) {
		path, dir, _ := strings.Cut(strings.TrimSpace(line), "\t")
		dirs[path] = dir
	}
	for i := range out {
		m := &out[i]
		if m.texts, err = licenceTexts(dirs[m.path]); err != nil {
			return nil, fmt.Errorf("%s: %w", m.path, err)
		}
		if m.licence = licenceOf(m.texts); len(m.texts) == 0 {
			return nil, fmt.Errorf("%s has no licence in %q", m.path, dirs[m.path])
		}
	}
	return out, nil
}

var licenceName = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([-._].*)?$`)

// licenceTexts returns the licence and notices of a module's folder.
func licenceTexts(dir string) ([]file, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []file
	for _, e := range entries {
		if !e.Type().IsRegular() || !licenceName.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") {
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		out = append(out, file{e.Name(), b, 0o644})
	}
	return out, nil
}

// licenceBSD3 is the licence of the standard library, and of many modules.
const licenceBSD3 = "BSD-3-Clause"

// licenceOf returns the identifier of the one licence in the texts, "" if there are
// several or it is not one of those that are common in Go.
func licenceOf(texts []file) string {
	var found []string
	for _, t := range texts {
		if name := strings.ToLower(t.name); strings.HasPrefix(name, "notice") || strings.HasPrefix(name, "patents") {
			continue
		}
		s := strings.Join(strings.Fields(strings.ToLower(string(t.data))), " ")
		has := func(words string) bool { return strings.Contains(s, words) }
		add := func(id string, is bool) {
			if is && !slices.Contains(found, id) {
				found = append(found, id)
			}
		}
		add("Apache-2.0", has("apache license version 2.0") || has("apache license, version 2.0"))
		add("MIT", has("permission is hereby granted, free of charge, to any person obtaining a copy"))
		add("ISC", has("permission to use, copy, modify, and/or distribute this software for any purpose"))
		add("MPL-2.0", has("mozilla public license version 2.0"))
		bsd := has("redistribution and use in source and binary forms")
		third := has("neither the name") || has("nor the names of its contributors")
		add(licenceBSD3, bsd && third)
		add("BSD-2-Clause", bsd && !third)
		add("Unlicense", has("free and unencumbered software released into the public domain"))
		add("other", has("general public license"))
	}
	if len(found) != 1 || found[0] == "other" {
		return ""
	}
	return found[0]
}

// notices returns the licences of the standard library and of all modules but the first
// as one text.
func notices(modules []module) ([]byte, error) {
	root, err := output(nil, "", "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	std, err := licenceTexts(root)
	if err != nil {
		return nil, err
	}
	if licenceOf(std) != licenceBSD3 {
		return nil, fmt.Errorf("the licence of Go in %s is not %s", root, licenceBSD3)
	}
	var b bytes.Buffer
	b.WriteString("ragdb is made of the modules below, beside its own, and of the standard library of Go.\n")
	for _, m := range append([]module{{path: "std", texts: std}}, modules[1:]...) {
		for _, t := range m.texts {
			fmt.Fprintf(&b, "\n%s\n%s: %s\n%[1]s\n\n%s\n", strings.Repeat("=", 80), strings.TrimSpace(m.path+" "+m.version), t.name, bytes.TrimSpace(t.data))
		}
	}
	return b.Bytes(), nil
}
