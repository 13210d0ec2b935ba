package scaffold

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/manifest"
)

// Kind is what a definition says about one version of a kind.
type Kind struct {
	// GVK is the version that the rules are for.
	GVK schema.GroupVersionKind
	// Plural is the name of its resource.
	Plural string
	// Versions are all served versions, GVK's own included.
	Versions []string

	namespaced bool
	// replicas is the path to the number of replicas; nil when the kind has none.
	replicas  []string
	otherwise int64 // replicas when there are none in the object
	templates []template
	// own is the template that replicas counts; nil when there is none or it is not clear.
	own    *template
	status status
}

// Read returns the kind that the CustomResourceDefinition (apiextensions.k8s.io/v1) in data defines, in the given version
// or, when that is empty, in the one that is stored. File is the name of data in errors. There must be one definition; its
// version must have a schema.
func Read(file string, data []byte, version string) (*Kind, error) {
	objects, err := manifest.Objects(file, data)
	if err != nil {
		return nil, err
	}
	if len(objects) != 1 {
		return nil, fmt.Errorf("%s: want one CustomResourceDefinition, got %d objects", file, len(objects))
	}
	o := &objects[0]
	if gvk := o.GroupVersionKind(); gvk.GroupKind() != apiextensionsv1.Kind("CustomResourceDefinition") || gvk.Version != "v1" {
		return nil, o.Errorf(nil, "want a CustomResourceDefinition of apiextensions.k8s.io/v1, got a %s of %s", gvk.Kind, gvk.GroupVersion())
	}
	encoded, err := json.Marshal(o.Object)
	if err != nil {
		return nil, o.Errorf(nil, "%w", err)
	}
	var crd apiextensionsv1.CustomResourceDefinition
	if err := json.Unmarshal(encoded, &crd); err != nil {
		return nil, o.Errorf(nil, "want a CustomResourceDefinition: %w", err)
	}
	k, err := newKind(&crd.Spec, version)
	if err != nil {
		return nil, o.Errorf(manifest.Path{"spec"}, "%w", err)
	}
	return k, nil
}

func newKind(spec *apiextensionsv1.CustomResourceDefinitionSpec, version string) (*Kind, error) {
	if !isGroup.MatchString(spec.Group) || !isName.MatchString(spec.Names.Kind) || !isName.MatchString(spec.Names.Plural) {
		return nil, fmt.Errorf("spec: want group, names.kind and names.plural as names, got %q, %q and %q",
			spec.Group, spec.Names.Kind, spec.Names.Plural)
	}
	k := &Kind{Plural: spec.Names.Plural, namespaced: spec.Scope != apiextensionsv1.ClusterScoped}
	var chosen *apiextensionsv1.CustomResourceDefinitionVersion
	for i := range spec.Versions {
		v := &spec.Versions[i]
		if v.Served {
			k.Versions = append(k.Versions, v.Name)
		}
		if v.Name == version || version == "" && v.Storage {
			chosen = v
		}
	}
	switch {
	case chosen == nil && version == "":
		return nil, errors.New("spec.versions: want one with storage: true, got none")
	case chosen == nil:
		return nil, fmt.Errorf("spec.versions: want %s, got %s", version, strings.Join(k.Versions, ", "))
	case chosen.Schema == nil || chosen.Schema.OpenAPIV3Schema == nil:
		return nil, fmt.Errorf("spec.versions: %s: want schema.openAPIV3Schema, got none", chosen.Name)
	}
	if !isName.MatchString(chosen.Name) {
		return nil, fmt.Errorf("spec.versions: want a name such as v1, got %q", chosen.Name)
	}
	k.GVK = schema.GroupVersionKind{Group: spec.Group, Version: chosen.Name, Kind: spec.Names.Kind}
	root := chosen.Schema.OpenAPIV3Schema
	k.templates = findTemplates(root)
	k.status = readStatus(root)
	k.readReplicas(chosen.Subresources, root)
	return k, nil
}

var (
	isGroup = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
	isPath  = regexp.MustCompile(`^\.spec(\.[A-Za-z]([-A-Za-z0-9]*[A-Za-z0-9])?)+$`)
	// isName is a name of a kind, a version or a field that a path can have: others are passed over.
	isName = regexp.MustCompile(`^[A-Za-z]([-A-Za-z0-9]*[A-Za-z0-9])?$`)
)

// readReplicas finds the number of replicas: that of the scale subresource, else a number beside the only pod template.
func (k *Kind) readReplicas(sub *apiextensionsv1.CustomResourceSubresources, root *apiextensionsv1.JSONSchemaProps) {
	if sub != nil && sub.Scale != nil && isPath.MatchString(sub.Scale.SpecReplicasPath) {
		k.replicas = strings.Split(sub.Scale.SpecReplicasPath, ".")[1:]
		k.own = k.templateOf(k.replicas)
	} else if len(k.templates) == 1 && k.templates[0].collection == nil {
		k.own = &k.templates[0]
		if len(k.own.counts) > 0 {
			k.replicas = k.own.counts[0].path
		}
	}
	k.otherwise = 1
	if field := at(root, k.replicas); field != nil {
		k.otherwise = defaultOf(field)
	}
}

// templateOf returns the template whose pods a number counts: the only one there is, or the one beside the number.
func (k *Kind) templateOf(number []string) *template {
	if len(k.templates) == 1 && k.templates[0].collection == nil {
		return &k.templates[0]
	}
	parent := number[:len(number)-1]
	for i := range k.templates {
		t := &k.templates[i]
		path := t.path
		if t.collection != nil {
			if t.isList || len(parent) <= len(t.collection) {
				continue
			}
			// An entry of a map is an object like any other when its key is known.
			path = slices.Concat(t.collection, parent[len(t.collection):len(t.collection)+1], t.path)
		}
		if slices.Equal(path[:len(path)-1], parent) {
			own := template{path: path, bare: t.bare}
			return &own
		}
	}
	return nil
}

// entry returns the key of an entry of the map at path that is known to be there.
func (k *Kind) entry(path []string) string {
	if len(k.replicas) > len(path)+1 && slices.Equal(k.replicas[:len(path)], path) {
		return k.replicas[len(path)]
	}
	return "worker"
}

// hasComponents tells whether the pod templates are more than one kind of replica.
func (k *Kind) hasComponents() bool { return len(k.templates) > 0 && k.replicas == nil && k.own == nil }

// at returns the schema of the field at path; nil when it is not known.
func at(node *apiextensionsv1.JSONSchemaProps, path []string) *apiextensionsv1.JSONSchemaProps {
	if path == nil {
		return nil
	}
	for _, name := range path {
		child, ok := node.Properties[name]
		switch {
		case ok:
			node = &child
		case node.AdditionalProperties != nil && node.AdditionalProperties.Schema != nil:
			node = node.AdditionalProperties.Schema
		default:
			return nil
		}
	}
	return node
}

// defaultOf returns the number that a field has when it is not given.
func defaultOf(field *apiextensionsv1.JSONSchemaProps) int64 {
	var n int64
	if field.Default == nil || json.Unmarshal(field.Default.Raw, &n) != nil {
		return 1
	}
	return n
}

// names returns the names of properties, sorted, without those that no path can have.
func names(properties map[string]apiextensionsv1.JSONSchemaProps) []string {
	all := slices.Sorted(maps.Keys(properties))
	return slices.DeleteFunc(all, func(name string) bool { return !isName.MatchString(name) })
}
