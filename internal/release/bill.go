package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
)

// bill is a bill of materials as CycloneDX 1.5 has it, as far as it is used.
type bill struct {
	Format       string       `json:"bomFormat"`
	Spec         string       `json:"specVersion"`
	Serial       string       `json:"serialNumber"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Timestamp string    `json:"timestamp"`
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	Hashes     []hash     `json:"hashes,omitempty"`
	Licenses   []licensed `json:"licenses,omitempty"`
	PURL       string     `json:"purl"`
	Properties []property `json:"properties,omitempty"`
}

type hash struct {
	Alg     string `json:"alg"`
	Content string `json:"content"`
}

type licensed struct {
	License struct {
		ID string `json:"id"`
	} `json:"license"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type dependency struct {
	Ref  string   `json:"ref"`
	Uses []string `json:"dependsOn,omitempty"`
}

// billOf returns the bill of materials of a command as JSON: its modules with their
// versions, the h1 hashes that the Go tool recorded, and their licences if they are
// known, and the standard library.
func billOf(info *buildinfo.BuildInfo, modules []module, command []byte, at time.Time) ([]byte, error) {
	sum := sha256.Sum256(command)
	b := bill{Format: "CycloneDX", Spec: "1.5", Version: 1}
	id := slices.Clone(sum[:16]) // of the command, in the form of a random UUID
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	b.Serial = fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
	ragdb := componentOf("application", info.Main.Path, info.Main.Version, "", modules[0].licence)
	ragdb.Hashes = []hash{{"SHA-256", fmt.Sprintf("%x", sum)}}
	for _, s := range info.Settings {
		if s.Value != "" {
			ragdb.Properties = append(ragdb.Properties, property{"go:build:" + s.Key, s.Value})
		}
	}
	b.Metadata = metadata{at.Format(time.RFC3339), ragdb}
	std := componentOf("library", "std", strings.TrimPrefix(info.GoVersion, "go"), "", licenceBSD3)
	b.Components = []component{std}
	uses := dependency{ragdb.Ref, []string{std.Ref}}
	b.Dependencies = []dependency{{std.Ref, nil}}
	for _, m := range modules[1:] {
		c := componentOf("library", m.path, m.version, m.sum, m.licence)
		b.Components = append(b.Components, c)
		uses.Uses = append(uses.Uses, c.Ref)
		b.Dependencies = append(b.Dependencies, dependency{c.Ref, nil})
	}
	b.Dependencies = append(b.Dependencies, uses)
	out, err := json.MarshalIndent(b, "", " ")
	return append(out, '\n'), err
}

func componentOf(kind, path, version, sum, licence string) component {
	purl := "pkg:golang/" + strings.ToLower(path) + "@" + url.QueryEscape(version)
	c := component{Type: kind, Ref: purl, Name: path, Version: version, PURL: purl, Licenses: licences(licence)}
	if sum != "" {
		c.Properties = []property{{"go:h1", sum}}
	}
	return c
}

func licences(id string) []licensed {
	if id == "" {
		return nil
	}
	var l licensed
	l.License.ID = id
	return []licensed{l}
}
