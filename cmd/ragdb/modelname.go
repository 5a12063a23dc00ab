package main

import (
	"errors"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/cmd/ragdb/internal/modelhub"
	"github.com/ragdb/ragdb/kv/stores"
)

// A model that runs here is written file:DIR, or OWNER/NAME for one of the cache. :int8
// behind that holds it in 8 bits. @sha256: and the SHA-256 of its weights come last: so a
// database keeps it, and finds it by that if its folder was moved.
const (
	folderPrefix = "file:"
	int8Suffix   = ":int8"
	sumMark      = "@sha256:"
)

// cutSum returns the name of a model without the SHA-256 at its end, "" if there is none.
func cutSum(model string) (name, sum string) {
	i := strings.LastIndex(model, sumMark)
	if i < 0 || len(model)-i-len(sumMark) != 64 {
		return model, ""
	}
	return model[:i], model[i+len(sumMark):]
}

// isHere reports whether a model's name is that of one that runs here.
func isHere(model string) bool {
	_, sum := cutSum(model)
	return sum != "" || strings.HasPrefix(model, folderPrefix)
}

// modelCache returns the folder of fetched models.
func (a *app) modelCache() (modelhub.Cache, error) {
	dir := a.env["RAGDB_MODELS"]
	if dir == "" {
		home := a.env["XDG_CACHE_HOME"]
		switch {
		case runtime.GOOS == "windows":
			home = a.env["LocalAppData"]
		case runtime.GOOS == "darwin":
			home = filepath.Join(a.env["HOME"], "Library", "Caches")
		case !filepath.IsAbs(home):
			home = filepath.Join(a.env["HOME"], ".cache")
		}
		if dir = filepath.Join(home, "ragdb", "models"); !filepath.IsAbs(dir) {
			return "", usage("name one with RAGDB_MODELS", "the system names no folder for models")
		}
	}
	dir, err := a.dir.abs(dir)
	return modelhub.Cache(dir), err
}

// locateModels gives the models that a command's flags name, and that a database does not
// keep, the form in which one would: of those of the cache it has the hash.
func (a *app) locateModels(cmd *cobra.Command) error {
	for _, key := range []string{"embed-model", "extract-model", "rerank"} {
		f := cmd.Flag(key)
		if f == nil || f.Value.String() == a.sources[fromDatabase].values[key] {
			continue
		}
		server := false
		if key == "embed-model" {
			if cmd.Flag("embed-base-url").Value.String() != "" {
				continue // the server's, whatever is here
			}
			server = cmd.Flag("base-url").Value.String() != ""
		}
		find := func(name string) (string, error) { return a.located(name, "--"+key, server) }
		if err := f.Value.(interface {
			locate(find func(string) (string, error)) error
		}).locate(find); err != nil {
			return err
		}
	}
	return nil
}

// refuseModels refuses models of the flags and settings that cannot be used, before there is
// a database at path.
func (a *app) refuseModels(cmd *cobra.Command, path string, f *modelFlags) error {
	if _, err := a.dir.stat(path); err != nil && !stores.OnServer(path) {
		if err := a.settle(cmd, modelKeys()...); err != nil {
			return err
		}
	}
	_, err := a.folderParts(f)
	return err
}

// located returns the name of a model with its hash if the cache has it, and otherwise as it
// is, if it may be that of a server's. server says that there is a server.
func (a *app) located(model, flag string, server bool) (string, error) {
	if isLocal(model) || isHere(model) || strings.Contains(model, "://") {
		return model, nil
	}
	name, small := strings.CutSuffix(model, int8Suffix)
	_, known := modelhub.Known(name)
	cache, err := a.modelCache()
	if err != nil && !known {
		return model, nil // such a system has no fetched models
	}
	var m modelhub.Model
	ok := false
	if err == nil {
		m, ok, err = cache.Find(name)
	}
	switch {
	case err != nil:
		return model, err
	case !ok && !server && (known || modelhub.IsName(name)):
		hint := "fetch it with ragdb model pull " + name + ", or name its folder with " + flag + " file:DIR"
		if flag == "--embed-model" {
			hint += "; for a server's add --embed-base-url"
		}
		return model, notFound(hint, "the model %s is not on this machine", name)
	case !ok:
		return model, nil
	}
	if name = m.Name; small {
		name += int8Suffix
	}
	return name + sumMark + m.SHA256, nil
}

// keptName returns the name of a model as a database keeps it: that of a folder gets the
// hash of its weights.
func keptName(model string) (string, error) {
	if !isHere(model) {
		return model, nil
	}
	name, sum := cutSum(model)
	if sum != "" {
		return model, nil
	}
	dir := strings.TrimSuffix(strings.TrimPrefix(name, folderPrefix), int8Suffix)
	sum, err := modelhub.Sum(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return model, nil // who opens it will say so
	}
	return model + sumMark + sum, err
}

// modelDir returns the folder of a model that runs here: a path as long as it leads
// somewhere, else the one of the cache that has the hash. flag is the one that names it. Only
// of a model for names is the hash of a path's weights checked: vectors have the name of
// what they were made with.
func (a *app) modelDir(model, flag string) (string, error) {
	name, sum := cutSum(model)
	name = strings.TrimSuffix(name, int8Suffix)
	dir, isPath := strings.CutPrefix(name, folderPrefix)
	cache, err := a.modelCache()
	other := ""
	if isPath {
		info, err := here.stat(dir)
		switch {
		case err == nil && !info.IsDir():
			return "", usage("give the folder that it is in", "%s is a file", dir)
		case err == nil && (sum == "" || flag != "--extract-model"):
			return dir, nil
		case err == nil:
			if other, err = modelhub.Sum(dir); err != nil || other == sum {
				return dir, err
			}
		case !errors.Is(err, fs.ErrNotExist):
			return "", err
		}
	} else if err != nil {
		return "", err
	} else if m, ok, err := cache.Find(name); err != nil || ok {
		dir, other = m.Dir, m.SHA256
	}
	if m, ok, err := cache.OfSum(sum); err != nil || ok {
		return m.Dir, err
	}
	place := flag + " " + folderPrefix + "DIR"
	switch {
	case other != "":
		way := "or make all vectors again with ragdb reembed DB --embed-model " + modelhub.Short(name)
		if flag == "--extract-model" {
			way = "or read all documents by the rules alone with --extract-model local"
		}
		return "", usage("name its folder with "+place+", "+way, "%s is another model than the database was made with: its weights have the SHA-256 %.12s, and not %.12s", dir, other, sum)
	case !isPath:
		return "", notFound("fetch it with ragdb model pull "+modelhub.Short(name)+", or name its folder with "+place, "the model %s (SHA-256 %.12s) is not on this machine", name, sum)
	}
	way := "docs/models.md says where to get a model"
	for _, k := range modelhub.KnownModels() {
		if k.SHA256 == sum {
			way = "ragdb model pull " + modelhub.Short(k.Name) + " fetches it"
		}
	}
	return "", notFound("if it was moved, name its place with "+place+"; "+way, "%s, the folder of a model, does not exist", dir)
}

// shown returns the name of a model that runs here as messages have it.
func shown(model string) string {
	name, _ := cutSum(strings.TrimPrefix(model, folderPrefix))
	return strings.TrimSuffix(name, int8Suffix)
}
