package clusters

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

// FieldManager owns the fields that Apply sets.
const FieldManager = "dragoman-clusters"

var (
	definitionKind     = schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}
	definitionResource = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	namespaceKind      = schema.GroupKind{Kind: "Namespace"}
)

// IsDefinition tells whether the object is a CustomResourceDefinition.
func IsDefinition(object *unstructured.Unstructured) bool {
	return object.GroupVersionKind().GroupKind() == definitionKind
}

// Apply applies the objects by server-side apply and takes over fields that others own. Namespaces and CustomResourceDefinitions go
// first and are waited for, so that objects may depend on them whatever their order. Namespaced objects that name no namespace go to the
// given one, or to "default" when that is empty. The objects are not changed.
func (c *Cluster) Apply(ctx context.Context, namespace string, objects ...*unstructured.Unstructured) error {
	ordered := slices.Clone(objects)
	slices.SortStableFunc(ordered, func(a, b *unstructured.Unstructured) int { return cmp.Compare(applyRank(a), applyRank(b)) })
	definitions := slices.IndexFunc(ordered, func(o *unstructured.Unstructured) bool { return applyRank(o) > 1 })
	if definitions < 0 {
		definitions = len(ordered)
	}
	for _, object := range ordered[:definitions] {
		if err := c.apply(ctx, namespace, object); err != nil {
			return err
		}
	}
	for _, object := range ordered[:definitions] {
		if !IsDefinition(object) {
			continue
		}
		if err := poll(ctx, func(ctx context.Context) error { return c.served(ctx, object.GetName()) }); err != nil {
			return fmt.Errorf("apply CustomResourceDefinition %s to %s: %w", object.GetName(), c.Name, err)
		}
	}
	if definitions > 0 {
		c.mapper.Reset()
	}
	for _, object := range ordered[definitions:] {
		if err := c.apply(ctx, namespace, object); err != nil {
			return err
		}
	}
	return nil
}

// applyRank orders what others depend on before the rest.
func applyRank(object *unstructured.Unstructured) int {
	switch object.GroupVersionKind().GroupKind() {
	case namespaceKind:
		return 0
	case definitionKind:
		return 1
	default:
		return 2
	}
}

// apply applies one object.
func (c *Cluster) apply(ctx context.Context, namespace string, object *unstructured.Unstructured) error {
	resource, err := c.resource(object, namespace)
	if err == nil {
		_, err = resource.Apply(ctx, object.GetName(), object, metav1.ApplyOptions{FieldManager: FieldManager, Force: true})
	}
	if err != nil {
		return fmt.Errorf("apply %s %s to %s: %w", object.GetKind(), key(object), c.Name, err)
	}
	return nil
}

// resource returns a client for the kind and namespace of the object; namespace is for those that name none.
func (c *Cluster) resource(object *unstructured.Unstructured, namespace string) (dynamic.ResourceInterface, error) {
	gvk := object.GroupVersionKind()
	mapping, err := c.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	if meta.IsNoMatchError(err) {
		c.mapper.Reset() // The kind may have been defined since discovery was cached.
		mapping, err = c.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	}
	if err != nil {
		return nil, err
	}
	if mapping.Scope.Name() != meta.RESTScopeNameNamespace {
		return c.dynamic.Resource(mapping.Resource), nil
	}
	return c.dynamic.Resource(mapping.Resource).Namespace(cmp.Or(object.GetNamespace(), namespace, metav1.NamespaceDefault)), nil
}

// served tells whether the API server serves the resource of a CustomResourceDefinition in all its served versions.
func (c *Cluster) served(ctx context.Context, name string) error {
	definition, err := c.dynamic.Resource(definitionResource).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if !established(definition) {
		return errors.New("not established yet")
	}
	group, _, _ := unstructured.NestedString(definition.Object, "spec", "group")
	plural, _, _ := unstructured.NestedString(definition.Object, "spec", "names", "plural")
	for _, version := range servedVersions(definition) {
		if err := c.get(ctx, "/apis/"+group+"/"+version+"/"+plural+"?limit=1"); err != nil {
			return err
		}
	}
	return nil
}

// established tells whether the definition's condition Established is true.
func established(definition *unstructured.Unstructured) bool {
	conditions, _, _ := unstructured.NestedSlice(definition.Object, "status", "conditions")
	return slices.ContainsFunc(conditions, func(item any) bool {
		condition, _ := item.(map[string]any)
		return condition["type"] == "Established" && condition["status"] == "True"
	})
}

// servedVersions lists the versions that a definition serves.
func servedVersions(definition *unstructured.Unstructured) []string {
	var served []string
	versions, _, _ := unstructured.NestedSlice(definition.Object, "spec", "versions")
	for _, item := range versions {
		version, _ := item.(map[string]any)
		if name, ok := version["name"].(string); ok && version["served"] == true {
			served = append(served, name)
		}
	}
	return served
}

// key names an object for a message.
func key(object *unstructured.Unstructured) string {
	if namespace := object.GetNamespace(); namespace != "" {
		return namespace + "/" + object.GetName()
	}
	return object.GetName()
}
