package rules

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/api/crds"
)

// definitions are the kinds whose fields must survive on the control plane: a target's labelSelector that is pruned
// would make the rule apply to every object.
var definitions = []string{
	"resourceinterpretercustomizations.config.karmada.io",
	"resourceinterpreterwebhookconfigurations.config.karmada.io",
}

// checkServed tells which fields of ours the control plane's definitions would drop from every object.
func checkServed(ctx context.Context, reader client.Reader) error {
	for _, name := range definitions {
		want, err := crds.Get(name)
		if err != nil {
			return err
		}
		served := &apiextensionsv1.CustomResourceDefinition{}
		if err := reader.Get(ctx, client.ObjectKey{Name: name}, served); err != nil {
			return fmt.Errorf("get CustomResourceDefinition %s: %w", name, err)
		}
		missing, err := crds.Missing(served, want)
		if err != nil {
			return err
		}
		if len(missing) > 0 {
			return fmt.Errorf("CustomResourceDefinition %s drops fields that rules may have: %s: install the one that comes with this version",
				name, strings.Join(missing, ", "))
		}
	}
	return nil
}

// Ready is a check for a manager's /readyz: nil once everything is loaded, and until then why it is not.
func (r *Rules) Ready(*http.Request) error {
	if r.Loaded() {
		return nil
	}
	if err := r.problem.Load(); err != nil {
		return *err
	}
	return fmt.Errorf("customizations and webhooks are not loaded yet")
}
