package tests

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/dragoman-io/dragoman/"

// A room is a folder and what the packages in it may import besides the standard library and each other.
type room struct {
	name string
	// rooms are the rooms that it may import.
	rooms []string
	// clients says whether it may talk to clusters: client-go, controller-runtime and what stands on them.
	clients bool
	// only, when set, lists the prefixes of every import path outside this module that it may import.
	only []string
}

var (
	vocabulary = []string{"api", "interpreter", "manifest", "podspec", "status"}
	links      = append(slices.Clone(vocabulary), "builtin", "customizations", "webhook")
	everything = append(slices.Clone(links), "api/crds", "deploy", "openapi", "thirdparty", "cases", "imports", "scaffold", "admission", "controllers", "clusters")
)

// rooms is the import direction of the design, lowest first. A package in a room that has no row here fails the test.
var rooms = []room{
	{name: "api", only: []string{"k8s.io/api/", "k8s.io/apimachinery/", "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1/"}},
	{name: "api/crds", only: []string{"k8s.io/apiextensions-apiserver/", "k8s.io/apimachinery/", "k8s.io/apiserver/pkg/apis/cel/", "sigs.k8s.io/yaml/"}},
	{name: "deploy", only: []string{"k8s.io/api/", "k8s.io/apimachinery/", "sigs.k8s.io/yaml/"}},
	{name: "interpreter", rooms: []string{"api"}},
	{name: "manifest", rooms: []string{"interpreter"}, only: []string{"k8s.io/apimachinery/", "go.yaml.in/yaml/", "sigs.k8s.io/yaml/"}},
	{name: "openapi", only: []string{"k8s.io/apimachinery/"}},
	{name: "podspec", rooms: []string{"api", "interpreter"}},
	{name: "status", rooms: []string{"api", "interpreter"}},
	{name: "builtin", rooms: vocabulary},
	{name: "customizations", rooms: vocabulary},
	{name: "webhook", rooms: vocabulary},
	{name: "thirdparty", rooms: links},
	{name: "cases", rooms: links},
	{name: "imports", rooms: links},
	{name: "scaffold", rooms: links},
	{name: "admission", rooms: append(slices.Clone(links), "api/crds")},
	{name: "controllers", rooms: append(slices.Clone(links), "api/crds", "deploy"), clients: true},
	{name: "clusters", rooms: []string{"api", "api/crds", "deploy", "manifest"}, clients: true},
	{name: "cmd", rooms: everything, clients: true},
	{name: "tests", rooms: append(slices.Clone(everything), "cmd"), clients: true},
}

// clients are the modules that only rooms with clients may import.
var clients = []string{
	"k8s.io/client-go/",
	"k8s.io/cli-runtime/",
	"k8s.io/kubectl/",
	"k8s.io/apiserver/pkg/util/webhook",
	"sigs.k8s.io/controller-runtime/",
}

// violations returns one line for each of imports that the package pkg, both without the module's path, must not have.
func violations(pkg string, imports []string) []string {
	in, ok := roomOf(pkg)
	if !ok {
		return []string{fmt.Sprintf("%s: no such room: add a row to rooms in imports_test.go", pkg)}
	}
	var found []string
	for _, imported := range imports {
		if why := in.forbids(imported); why != "" {
			found = append(found, fmt.Sprintf("%s imports %s: %s", pkg, imported, why))
		}
	}
	return found
}

// roomOf returns the innermost room that pkg is in.
func roomOf(pkg string) (found room, ok bool) {
	for _, r := range rooms {
		if strings.HasPrefix(pkg+"/", r.name+"/") && len(r.name) > len(found.name) {
			found, ok = r, true
		}
	}
	return found, ok
}

// forbids says why r's packages must not import path; empty when they may.
func (r room) forbids(path string) string {
	if local, ok := strings.CutPrefix(path, module); ok {
		if of, _ := roomOf(local); of.name != r.name && !slices.Contains(r.rooms, of.name) {
			return fmt.Sprintf("%s may import %v", r.name, r.rooms)
		}
		return ""
	}
	under := func(prefix string) bool { return strings.HasPrefix(path+"/", prefix) }
	if domain, _, _ := strings.Cut(path, "/"); !strings.Contains(domain, ".") {
		return "" // the standard library
	}
	if !r.clients && slices.ContainsFunc(clients, under) {
		return r.name + " does not talk to clusters"
	}
	if r.only != nil && !slices.ContainsFunc(r.only, under) {
		return fmt.Sprintf("%s may import %v", r.name, r.only)
	}
	return ""
}

func TestImportDirection(t *testing.T) {
	packages := packageImports(t, "..")
	assert.Greater(t, len(packages), 5, "too few packages to mean anything")
	for _, pkg := range slices.Sorted(maps.Keys(packages)) {
		for _, violation := range violations(pkg, packages[pkg]) {
			t.Error(violation)
		}
	}
}

// packageImports returns what each package below root imports, for every system and build tag, without its tests. Nested
// modules are left out. It reads the sources itself, so that go test knows when its cached result is stale.
func packageImports(t *testing.T, root string) map[string][]string {
	t.Helper()
	packages := map[string][]string{}
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if path == root {
				return nil
			}
			if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil {
				return filepath.SkipDir
			}
			if name := entry.Name(); name == "testdata" || strings.HasPrefix(name, ".") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		folder, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(folder)
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if !slices.Contains(packages[pkg], imported) {
				packages[pkg] = append(packages[pkg], imported)
			}
		}
		return nil
	}))
	return packages
}

func TestViolations(t *testing.T) {
	const (
		rt = "sigs.k8s.io/controller-runtime"
		cg = "k8s.io/client-go/kubernetes"
	)
	for _, tc := range []struct {
		reason, pkg, imported string
		allowed               bool
	}{
		{"the lowest room knows no other", "api/config/v1alpha1", module + "interpreter", false},
		{"groups of the API may know each other", "api/config/v1alpha1", module + "api/work/v1alpha2", true},
		{"the API is apimachinery and Kubernetes' types", "api/config/v1alpha1", "k8s.io/apimachinery/pkg/runtime", true},
		{"the types do not bring in the machinery of their CRDs", "api/config/v1alpha1", module + "api/crds", false},
		{"admission knows the CRDs", "admission", module + "api/crds", true},
		{"the API brings in nothing else", "api/config/v1alpha1", "github.com/stretchr/testify/assert", false},
		{"imports never run upwards", "interpreter", module + "builtin", false},
		{"the vocabulary stands on the API", "interpreter", module + "api/work/v1alpha2", true},
		{"siblings do not know each other", "builtin", module + "customizations", false},
		{"siblings do not know each other", "customizations/cel", module + "webhook", false},
		{"rooms have inner doors", "customizations", module + "customizations/lua", true},
		{"engines know no cluster", "customizations/lua", cg, false},
		{"the webhook is net/http", "webhook", "net/http", true},
		{"the webhook resolves Services through its own interface", "webhook", cg, false},
		{"the webhook is not the API server's client", "webhook", "k8s.io/apiserver/pkg/util/webhook", false},
		{"CEL libraries of the API server are no client", "customizations/cel", "k8s.io/apiserver/pkg/cel/library", true},
		{"an importer compiles what it writes", "imports/argocd", module + "customizations", true},
		{"an importer reads files only", "imports/argocd", cg, false},
		{"admission gets no client", "admission", rt, false},
		{"controllers watch clusters", "controllers/detector", rt + "/pkg/client", true},
		{"the module's own root counts as well", "builtin", rt, false},
		{"a longer name is another module", "builtin", rt + "-extensions/x", true},
		{"the command puts it all together", "cmd/dragoman", module + "thirdparty", true},
		{"a new room has to be placed first", "helpers", "fmt", false},
	} {
		t.Run(tc.reason+" "+tc.pkg+" "+tc.imported, func(t *testing.T) {
			found := violations(tc.pkg, []string{tc.imported})
			assert.Equal(t, tc.allowed, len(found) == 0, "%v", found)
		})
	}
}
