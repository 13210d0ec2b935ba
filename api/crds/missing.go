package crds

import (
	"fmt"
	"maps"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
)

// Missing returns the paths of the fields that want has and served would drop from every object, sorted, as
// "v1alpha1 .spec.target.labelSelector". A version that served does not have is returned as its name alone; what lies
// below a missing field is not listed. Empty means that served keeps whatever want keeps.
func Missing(served, want *apiextensionsv1.CustomResourceDefinition) ([]string, error) {
	var missing []string
	for _, version := range want.Spec.Versions {
		i := slices.IndexFunc(served.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool {
			return v.Name == version.Name && v.Served
		})
		if i < 0 {
			missing = append(missing, version.Name)
			continue
		}
		wanted, _, err := structure(version)
		if err != nil {
			return nil, fmt.Errorf("CustomResourceDefinition %s: %w", want.Name, err)
		}
		have, _, err := structure(served.Spec.Versions[i])
		if err != nil {
			return nil, fmt.Errorf("served CustomResourceDefinition %s: %w", served.Name, err)
		}
		missing = appendMissing(missing, version.Name+" ", have, wanted)
	}
	return missing, nil
}

// appendMissing appends the fields below path that want has and have would drop. Nil stands for a schema that says
// nothing.
func appendMissing(missing []string, path string, have, want *structuralschema.Structural) []string {
	if have == nil || want == nil || have.XPreserveUnknownFields {
		return missing
	}
	if have.AdditionalProperties != nil && have.AdditionalProperties.Structural == nil && have.AdditionalProperties.Bool {
		return missing
	}
	for _, name := range slices.Sorted(maps.Keys(want.Properties)) {
		wanted := want.Properties[name]
		property, ok := have.Properties[name]
		switch {
		case ok:
			missing = appendMissing(missing, path+"."+name, &property, &wanted)
		case have.AdditionalProperties != nil && have.AdditionalProperties.Structural != nil:
			missing = appendMissing(missing, path+"."+name, have.AdditionalProperties.Structural, &wanted)
		default:
			missing = append(missing, path+"."+name)
		}
	}
	missing = appendMissing(missing, path+"[]", have.Items, want.Items)
	if have.AdditionalProperties != nil && want.AdditionalProperties != nil {
		missing = appendMissing(missing, path+".*", have.AdditionalProperties.Structural, want.AdditionalProperties.Structural)
	}
	return missing
}
