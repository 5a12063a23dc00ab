package main

import (
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/internal/service"
	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"
)

// source is a place that settings come from, by key; a key is the name of a
// flag, or db.
type source struct {
	name   string
	values map[string]string
}

// settingKeys are the keys that a settings file may have.
func settingKeys() []string {
	return slices.Sorted(slices.Values(append(modelKeys(), "budget", "db", "memory", "method", "ns", "progress", "style", "top")))
}

// storedKeys are those that a database keeps.
func storedKeys() []string { return append([]string{"budget", "method", "top"}, storedModelKeys()...) }

// The places of settings between the flags and the defaults, strongest first.
const (
	fromEnv = iota
	fromFile
	fromDatabase
	fromUser
	settingSources
)

// readSettings reads the environment and the files. What the database keeps
// comes in when it is open.
func (a *app) readSettings() error {
	a.sources = make([]source, settingSources)
	a.sources[fromEnv] = source{"the environment", map[string]string{}}
	if v := a.env["RAGDB_DB"]; v != "" {
		a.sources[fromEnv].values["db"] = v
	}
	maps.Copy(a.sources[fromEnv].values, a.modelEnv())
	file, must := "ragdb.yaml", false
	if a.global.config != "" {
		file, must = a.global.config, true
	}
	var err error
	if a.sources[fromFile], err = a.readSettingsFile(file, must); err != nil {
		return err
	}
	if dir := a.configDir(); dir != "" {
		a.sources[fromUser], err = a.readSettingsFile(filepath.Join(dir, "ragdb", "config.yaml"), false)
	}
	return err
}

// configDir is the folder of the user's settings, "" if the system has none.
func (a *app) configDir() string {
	if dir := a.env["XDG_CONFIG_HOME"]; filepath.IsAbs(dir) {
		return dir
	}
	if a.dir == here {
		return userConfigDir()
	}
	return configDirOf(a.env)
}

// configDirOf is the folder of settings by an environment that is not the process's own,
// as [os.UserConfigDir] has it.
func configDirOf(env map[string]string) string {
	home := env["HOME"]
	switch {
	case runtime.GOOS == "windows":
		return env["AppData"]
	case home == "":
		return ""
	case runtime.GOOS == "darwin":
		return filepath.Join(home, "Library", "Application Support")
	}
	return filepath.Join(home, ".config")
}

func (a *app) readSettingsFile(path string, must bool) (source, error) {
	s := source{name: path, values: map[string]string{}}
	b, err := a.dir.readFile(path)
	if errors.Is(err, fs.ErrNotExist) && !must {
		return s, nil
	}
	if err != nil {
		return s, &failure{exit: exitUsage, code: "usage", message: "settings: " + service.Message(err), hint: "check --config", err: err}
	}
	var raw map[string]yaml.Node
	if err := yaml.Unmarshal(b, &raw); err != nil {
		return s, usage("write lines such as method: ketrag", "%s is not YAML: %s", path, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	for _, k := range slices.Sorted(maps.Keys(raw)) {
		if !slices.Contains(settingKeys(), k) {
			return s, usage("the keys are "+strings.Join(settingKeys(), ", "), "%s: line %d: there is no setting %q", path, raw[k].Line, k)
		}
		node := raw[k]
		if node.Kind != yaml.ScalarNode {
			return s, usage("write "+k+": value", "%s: line %d: %s is not a single value", path, node.Line, k)
		}
		s.values[k] = node.Value
	}
	return s, nil
}

// settle gives a command's flags that were not on the command line the values
// of the strongest source that has them.
func (a *app) settle(cmd *cobra.Command, keys ...string) error {
	for _, k := range keys {
		flag := cmd.Flag(k)
		if flag == nil || flag.Changed {
			continue
		}
		for _, s := range a.sources {
			v, ok := s.values[k]
			if !ok {
				continue
			}
			if err := flag.Value.Set(v); err != nil {
				return usage("correct it there, or give --"+k, "%s: %s: %s", s.name, k, err)
			}
			break
		}
	}
	if slices.Contains(keys, "embed-model") {
		return a.locateModels(cmd)
	}
	return nil
}

// setting returns a setting that is not a flag, "" if it is not set.
func (a *app) setting(key string) string {
	for _, s := range a.sources {
		if v := s.values[key]; v != "" {
			return v
		}
	}
	return ""
}
