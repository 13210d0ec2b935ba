package openapi

import (
	"bytes"
	"cmp"
	"compress/gzip"
	_ "embed" // the snapshot
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

//go:embed kubernetes.json.gz
var kubernetes []byte

// A Snapshot is the schemas of kinds. It is not changed by use.
type Snapshot struct {
	// Version is the version of the API server that the schemas are from, such as v1.36.3.
	Version string

	kinds       map[schema.GroupVersionKind]string // names of definitions
	definitions map[string]map[string]any
}

// File is what a snapshot is stored as: JSON, compressed by gzip.
type File struct {
	// Version is the version of the API server.
	Version string `json:"version"`
	// Kinds are sorted by group, version and kind.
	Kinds []Kind `json:"kinds"`
	// Definitions are schemas by the names that $ref in them and Kinds refer to. Of OpenAPI's keywords they have $ref, type,
	// properties, required, items, additionalProperties, and Kubernetes' own x-kubernetes-int-or-string and
	// x-kubernetes-preserve-unknown-fields.
	Definitions map[string]map[string]any `json:"definitions"`
}

// A Kind is a kind and the name of its definition.
type Kind struct {
	Group      string `json:"group,omitempty"`
	Version    string `json:"version"`
	Kind       string `json:"kind"`
	Definition string `json:"definition"`
}

// Load reads the snapshot inside the binary, anew at each call.
func Load() (*Snapshot, error) {
	unpacked, err := gzip.NewReader(bytes.NewReader(kubernetes))
	if err != nil {
		return nil, fmt.Errorf("snapshot of Kubernetes' OpenAPI: %w", err)
	}
	var f File
	if err := json.NewDecoder(unpacked).Decode(&f); err != nil {
		return nil, fmt.Errorf("snapshot of Kubernetes' OpenAPI: %w", err)
	}
	s := &Snapshot{Version: f.Version, kinds: make(map[schema.GroupVersionKind]string, len(f.Kinds)), definitions: f.Definitions}
	for _, k := range f.Kinds {
		s.kinds[schema.GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.Kind}] = k.Definition
	}
	return s, nil
}

// Kinds returns the kinds that there are schemas of, sorted by group, version and kind.
func (s *Snapshot) Kinds() []schema.GroupVersionKind {
	return slices.SortedFunc(maps.Keys(s.kinds), func(a, b schema.GroupVersionKind) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Version, b.Version), cmp.Compare(a.Kind, b.Kind))
	})
}

// Schema returns the schema of the objects of a kind, nil for a kind that is not in the snapshot. What a $ref in it means,
// Definition tells. The caller must not modify it.
func (s *Snapshot) Schema(gvk schema.GroupVersionKind) map[string]any {
	return s.definitions[s.kinds[gvk]]
}

// Definition returns the schema that a $ref refers to, nil for none. The caller must not modify it.
func (s *Snapshot) Definition(ref string) map[string]any { return s.definitions[ref] }
