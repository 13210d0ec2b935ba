package tests

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
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
	everything = append(slices.Clone(links), "api/crds", "deploy", "thirdparty", "cases", "admission", "controllers", "clusters")
)

// rooms is the import direction of the design, lowest first. A package in a room that has no row here fails the test.
var rooms = []room{
	{name: "api", only: []string{"k8s.io/api/", "k8s.io/apimachinery/", "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1/"}},
	{name: "api/crds", only: []string{"k8s.io/apiextensions-apiserver/", "k8s.io/apimachinery/", "k8s.io/apiserver/pkg/apis/cel/", "sigs.k8s.io/yaml/"}},
	{name: "deploy", only: []string{"k8s.io/api/", "k8s.io/apimachinery/", "sigs.k8s.io/yaml/"}},
	{name: "interpreter", rooms: []string{"api"}},
	{name: "manifest", only: []string{"k8s.io/apimachinery/", "go.yaml.in/yaml/", "sigs.k8s.io/yaml/"}},
	{name: "podspec", rooms: []string{"api", "interpreter"}},
	{name: "status", rooms: []string{"api", "interpreter"}},
	{name: "builtin", rooms: vocabulary},
	{name: "customizations", rooms: vocabulary},
	{name: "webhook", rooms: vocabulary},
	{name: "thirdparty", rooms: links},
	{name: "cases", rooms: links},
	{name: "admission", rooms: append(slices.Clone(links), "api/crds")},
	{name: "controllers", rooms: append(slices.Clone(links), "api/crds"), clients: true},
	{name: "clusters", rooms: []string{"api", "api/crds", "manifest"}, clients: true},
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
	list := exec.CommandContext(t.Context(), "go", "list", "-e", "-json=ImportPath,Imports", "./...")
	list.Dir = ".."
	out, err := list.Output()
	require.NoError(t, err)

	var packages int
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; packages++ {
		var pkg struct {
			ImportPath string
			Imports    []string
		}
		if err := decoder.Decode(&pkg); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		for _, violation := range violations(strings.TrimPrefix(pkg.ImportPath, module), pkg.Imports) {
			t.Error(violation)
		}
	}
	assert.Greater(t, packages, 5, "go list found too few packages to mean anything")
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
