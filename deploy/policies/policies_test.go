package policies

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"sigs.k8s.io/yaml"
)

// A verdict is what a policy says about an object. Cases are in testdata, in a file named after the policy.
type verdict struct {
	Reason   string         `json:"reason"`
	Object   map[string]any `json:"object"`
	Messages []string       `json:"messages,omitempty"`
}

func TestPolicies(t *testing.T) {
	policies, bindings := load(t)
	cases, err := filepath.Glob("testdata/*.yaml")
	require.NoError(t, err)
	assert.Len(t, cases, len(policies), "every policy has cases")

	for name, policy := range policies {
		t.Run(name, func(t *testing.T) {
			binding, ok := bindings[name]
			require.True(t, ok, "no binding of this name: the policy would do nothing")
			assert.Equal(t, name, binding.Spec.PolicyName)
			assert.NotEmpty(t, binding.Spec.ValidationActions)

			data, err := os.ReadFile(filepath.Join("testdata", name+".yaml"))
			require.NoError(t, err)
			var verdicts []verdict
			require.NoError(t, yaml.UnmarshalStrict(data, &verdicts))

			said := sets.New[string]()
			for _, v := range verdicts {
				t.Run(v.Reason, func(t *testing.T) {
					messages := evaluate(t, policy, &unstructured.Unstructured{Object: v.Object})
					assert.Equal(t, v.Messages, messages)
					said.Insert(messages...)
				})
			}
			for _, validation := range policy.Spec.Validations {
				assert.True(t, said.Has(validation.Message), "no case in which %q is said", validation.Message)
			}
		})
	}
}

// load returns the policies and their bindings by name.
func load(t *testing.T) (map[string]*admissionregistrationv1.ValidatingAdmissionPolicy, map[string]*admissionregistrationv1.ValidatingAdmissionPolicyBinding) {
	t.Helper()
	objects, err := Objects()
	require.NoError(t, err)
	policies := map[string]*admissionregistrationv1.ValidatingAdmissionPolicy{}
	bindings := map[string]*admissionregistrationv1.ValidatingAdmissionPolicyBinding{}
	for _, object := range objects {
		require.Equal(t, admissionregistrationv1.SchemeGroupVersion.String(), object.GetAPIVersion())
		var into any
		switch object.GetKind() {
		case "ValidatingAdmissionPolicy":
			policy := &admissionregistrationv1.ValidatingAdmissionPolicy{}
			policies[object.GetName()], into = policy, policy
		case "ValidatingAdmissionPolicyBinding":
			binding := &admissionregistrationv1.ValidatingAdmissionPolicyBinding{}
			bindings[object.GetName()], into = binding, binding
		default:
			t.Fatalf("%s %s: what is this?", object.GetKind(), object.GetName())
		}
		require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(object.Object, into, true))
	}
	return policies, bindings
}

// evaluate returns what policy says about object when it is created. The expressions are
// compiled as on the oldest supported control plane.
func evaluate(t *testing.T, policy *admissionregistrationv1.ValidatingAdmissionPolicy, object *unstructured.Unstructured) []string {
	t.Helper()
	expressions := make([]cel.ExpressionAccessor, len(policy.Spec.Validations))
	for i, validation := range policy.Spec.Validations {
		expressions[i] = &validating.ValidationCondition{Expression: validation.Expression, Message: validation.Message}
	}
	oldest := environment.MustBaseEnvSet(version.MajorMinor(1, 31))
	condition := cel.NewConditionCompiler(oldest).CompileCondition(expressions, cel.OptionalVariableDeclarations{}, environment.NewExpressions)
	require.Empty(t, condition.CompilationErrors())

	gvk := object.GroupVersionKind()
	resource := gvk.GroupVersion().WithResource(strings.ToLower(gvk.Kind) + "s")
	attributes := admission.NewAttributesRecord(object, nil, gvk, object.GetNamespace(), object.GetName(), resource, "", admission.Create, nil, false, nil)
	versioned := &admission.VersionedAttributes{Attributes: attributes, VersionedKind: gvk, VersionedObject: admission.NewLazyObject(object)}
	results, _, err := condition.ForInput(t.Context(), versioned, cel.CreateAdmissionRequest(attributes, metav1.GroupVersionResource(resource), metav1.GroupVersionKind(gvk)), cel.OptionalVariableBindings{}, nil, celconfig.RuntimeCELCostBudget)
	require.NoError(t, err)

	var messages []string
	for i, result := range results {
		require.NoError(t, result.Error, policy.Spec.Validations[i].Expression)
		if result.EvalResult.Value() != true {
			messages = append(messages, policy.Spec.Validations[i].Message)
		}
	}
	return messages
}
