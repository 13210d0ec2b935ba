package crds

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

// A Schema is one version of a CustomResourceDefinition, ready to judge objects as the API server does. It is safe for
// concurrent use.
type Schema struct {
	gvk        schema.GroupVersionKind
	structural *structuralschema.Structural
	types      validation.SchemaValidator
	rules      *cel.Validator
}

// NewSchema prepares the given version of definition, with its CEL rules compiled. It does not keep definition.
func NewSchema(definition *apiextensionsv1.CustomResourceDefinition, version string) (*Schema, error) {
	gvk := schema.GroupVersionKind{Group: definition.Spec.Group, Version: version, Kind: definition.Spec.Names.Kind}
	i := slices.IndexFunc(definition.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == version })
	if i < 0 {
		return nil, fmt.Errorf("CustomResourceDefinition %s: no version %q", definition.Name, version)
	}
	structural, internal, err := structure(definition.Spec.Versions[i])
	if err != nil {
		return nil, fmt.Errorf("CustomResourceDefinition %s: %w", definition.Name, err)
	}
	types, _, err := validation.NewSchemaValidator(internal)
	if err != nil {
		return nil, fmt.Errorf("CustomResourceDefinition %s: version %s: %w", definition.Name, version, err)
	}
	return &Schema{
		gvk:        gvk,
		structural: structural,
		types:      types,
		rules:      cel.NewValidator(structural, true, celconfig.PerCallLimit),
	}, nil
}

// structure converts the schema of version to the form that pruning, defaulting and CEL work on, and to the internal
// one that types are validated with.
func structure(version apiextensionsv1.CustomResourceDefinitionVersion) (*structuralschema.Structural, *apiextensions.JSONSchemaProps, error) {
	if version.Schema == nil || version.Schema.OpenAPIV3Schema == nil {
		return nil, nil, fmt.Errorf("version %s: no schema.openAPIV3Schema", version.Name)
	}
	var internal apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(version.Schema.OpenAPIV3Schema.DeepCopy(), &internal, nil); err != nil {
		return nil, nil, fmt.Errorf("version %s: %w", version.Name, err)
	}
	structural, err := structuralschema.NewStructural(&internal)
	if err != nil {
		return nil, nil, fmt.Errorf("version %s: %w", version.Name, err)
	}
	return structural, &internal, nil
}

// Admit answers what the API server would do with obj if it were created: the object that it would store, with unknown
// fields dropped and defaults filled in; the paths of the fields that it would drop; and why it would refuse it,
// by type, bounds, list keys and CEL rules. It does not look at metadata. obj is not modified.
func (s *Schema) Admit(ctx context.Context, obj *unstructured.Unstructured) (*unstructured.Unstructured, []string, field.ErrorList) {
	if gvk := obj.GroupVersionKind(); gvk != s.gvk {
		return nil, nil, field.ErrorList{field.Invalid(field.NewPath("kind"), gvk.String(), "want "+s.gvk.String())}
	}
	stored := obj.DeepCopy()
	unknown := pruning.PruneWithOptions(stored.Object, s.structural, true, structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	slices.Sort(unknown)
	defaulting.PruneNonNullableNullsWithoutDefaults(stored.Object, s.structural)
	defaulting.Default(stored.Object, s.structural)

	errs := validation.ValidateCustomResource(nil, stored.Object, s.types)
	errs = append(errs, objectmeta.Validate(ctx, nil, stored.Object, s.structural, false)...)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, s.structural, stored.Object)...)
	if len(errs) > 0 {
		// As in the API server, CEL rules may rely on types and bounds.
		return stored, unknown, sorted(errs)
	}
	errs, _ = s.rules.Validate(ctx, nil, s.structural, stored.Object, nil, celconfig.RuntimeCELCostBudget)
	return stored, unknown, sorted(errs)
}

// sorted sorts errs, which come in the random order of maps.
func sorted(errs field.ErrorList) field.ErrorList {
	slices.SortFunc(errs, func(a, b *field.Error) int { return strings.Compare(a.Error(), b.Error()) })
	return errs
}
