package admission

import (
	"context"
	"fmt"

	"github.com/dragoman-io/dragoman/api/crds"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/manifest"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// webhookKind is the kind of webhook configurations.
const webhookKind = "ResourceInterpreterWebhookConfiguration"

// webhookConfiguration returns what is wrong with a webhook configuration in a file. Its rules are those of the
// CustomResourceDefinition, which an API server applies as well.
func (c Checker) webhookConfiguration(ctx context.Context, o *manifest.Object) []Problem {
	var problems []Problem
	if o.GetName() == "" {
		problems = append(problems, objectProblem(o, script.Error, "metadata.name", "want a name, got none"))
	}
	schema, err := webhookSchema(o.GroupVersionKind().Version)
	if err != nil {
		return append(problems, objectProblem(o, script.Error, "apiVersion", "%v", err))
	}
	_, unknown, errs := schema.Admit(ctx, o.Unstructured)
	for _, field := range unknown {
		problems = append(problems, objectProblem(o, script.Error, field, "unknown field"))
	}
	for _, err := range errs {
		problems = append(problems, objectProblem(o, script.Error, err.Field, "%s", err.ErrorBody()))
	}
	if c.Portable {
		problems = append(problems, portableWebhooks(o)...)
	}
	return problems
}

func webhookSchema(version string) (*crds.Schema, error) {
	definition, err := crds.Get("resourceinterpreterwebhookconfigurations.config.karmada.io")
	if err != nil {
		return nil, err
	}
	return crds.NewSchema(definition, version)
}

func portableWebhooks(o *manifest.Object) []Problem {
	var problems []Problem
	webhooks, _, _ := unstructured.NestedSlice(o.Object, "webhooks") //nolint:errcheck // the schema has judged its type
	for i, value := range webhooks {
		webhook, _ := value.(map[string]any)
		for _, addition := range []string{"failurePolicy", "clientCertificate"} {
			if _, ok := webhook[addition]; ok {
				problems = append(problems, objectProblem(o, script.Error, fmt.Sprintf("webhooks[%d].%s", i, addition),
					"not portable: Karmada would drop this field"))
			}
		}
	}
	return problems
}
