package admission

import (
	"context"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dragoman-io/dragoman/api/crds"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/manifest"
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
	for _, name := range unknown {
		problems = append(problems, objectProblem(o, script.Error, name, "unknown field"))
	}
	for _, err := range errs {
		problems = append(problems, objectProblem(o, script.Error, err.Field, "%s", schemaMessage(err)))
	}
	webhooks, _, _ := unstructured.NestedSlice(o.Object, "webhooks")
	for i, value := range webhooks {
		webhook, _ := value.(map[string]any)
		field := fmt.Sprintf("webhooks[%d]", i)
		if c.Portable {
			problems = append(problems, portableWebhook(o, field, webhook)...)
		}
		if !hasCertificates(webhook) {
			problems = append(problems, objectProblem(o, script.Error, field+".clientConfig.caBundle",
				"want certificates in PEM, in base64, got none: the webhook cannot be asked"))
		}
	}
	return problems
}

// hasCertificates tells whether the caBundle of a webhook holds certificates, if it has one. No schema can.
func hasCertificates(webhook map[string]any) bool {
	text, _, _ := unstructured.NestedString(webhook, "clientConfig", "caBundle")
	bundle, err := base64.StdEncoding.DecodeString(text)
	return err != nil || len(bundle) == 0 || x509.NewCertPool().AppendCertsFromPEM(bundle) // what is no base64 is said elsewhere
}

// schemaMessage returns what a schema says about a field, without the name of the field.
func schemaMessage(err *field.Error) string {
	detail := strings.TrimPrefix(err.Detail, err.Field+" in body ")
	switch err.Type {
	case field.ErrorTypeInvalid:
		switch err.BadValue.(type) {
		case string, bool, int, int64, float64:
			return fmt.Sprintf("%s, got %s", detail, manifest.Describe(err.BadValue))
		}
		return detail
	case field.ErrorTypeTypeInvalid:
		return detail
	case field.ErrorTypeRequired:
		return "want a value, got none"
	case field.ErrorTypeNotSupported:
		return fmt.Sprintf("%s, got %s", strings.Replace(detail, "supported values: ", "want one of ", 1), manifest.Describe(err.BadValue))
	default:
		return err.ErrorBody()
	}
}

func webhookSchema(version string) (*crds.Schema, error) {
	definition, err := crds.Get("resourceinterpreterwebhookconfigurations.config.karmada.io")
	if err != nil {
		return nil, err
	}
	return crds.NewSchema(definition, version)
}

// portableWebhook returns every field of a webhook that Karmada does not have.
func portableWebhook(o *manifest.Object, field string, webhook map[string]any) []Problem {
	var problems []Problem
	for _, addition := range []string{"failurePolicy", "clientCertificate"} {
		if _, ok := webhook[addition]; ok {
			problems = append(problems, objectProblem(o, script.Error, field+"."+addition, "not portable: Karmada would drop this field"))
		}
	}
	return problems
}
