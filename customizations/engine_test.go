package customizations_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

var errScript = errors.New("the script failed")

// wordEngine is an engine whose scripts are one word: a number is so many replicas, "next" asks the next rule and adds
// one, "decline" declines, "fail" fails, "broken" does not compile, "warn" compiles with a warning; "needs a,b" depends
// on ConfigMaps a and b, "needs nameless" breaks the contract.
type wordEngine struct{ compiled atomic.Int64 }

func (e *wordEngine) Compile(src *script.Source) (interpreter.Rule, script.Problems, error) {
	e.compiled.Add(1)
	if src.Text == "broken" {
		return nil, nil, script.Problems{{Severity: script.Error, Source: src, Line: 1, Column: 1, Message: "broken"}}
	}
	var warnings script.Problems
	if src.Text == "warn" {
		warnings = script.Problems{{Severity: script.Warning, Source: src, Line: 1, Message: "careful"}}
	}
	return func(ctx context.Context, req *interpreter.Request) (*interpreter.Response, error) {
		return answer(ctx, req, src.Text)
	}, warnings, nil
}

func answer(ctx context.Context, req *interpreter.Request, word string) (*interpreter.Response, error) {
	if names, ok := strings.CutPrefix(word, "needs "); ok {
		resp := &interpreter.Response{}
		for name := range strings.SplitSeq(names, ",") {
			ref := configv1alpha1.DependentObjectReference{APIVersion: "v1", Kind: "ConfigMap", Name: name}
			if name == "nameless" {
				ref.Name = ""
			}
			resp.Dependencies = append(resp.Dependencies, ref)
		}
		return resp, nil
	}
	switch word {
	case "decline":
		return nil, interpreter.ErrNotHandled
	case "fail":
		return nil, errScript
	case "next":
		resp, err := interpreter.Next(ctx, req)
		if err != nil {
			return nil, fmt.Errorf("next: %w", err)
		}
		return &interpreter.Response{Replicas: resp.Replicas + 1}, nil
	case "warn":
		return &interpreter.Response{}, nil
	}
	n, err := strconv.ParseInt(word, 10, 32)
	if err != nil {
		return nil, err
	}
	return &interpreter.Response{Replicas: int32(n)}, nil
}

func options(e script.Engine) customizations.Options {
	return customizations.Options{
		Link:    "customizations",
		Engines: map[script.Language]script.Engine{script.Lua: e, script.CEL: e},
	}
}

// ric returns a customization called name that answers InterpretReplica, or InterpretDependency for "needs", with word.
func ric(name, apiVersion, kind, word string, labels ...string) customizations.Customization {
	object := &configv1alpha1.ResourceInterpreterCustomization{ObjectMeta: metav1.ObjectMeta{Name: name}}
	object.Spec.Target = configv1alpha1.CustomizationTarget{APIVersion: apiVersion, Kind: kind}
	if len(labels) > 0 {
		object.Spec.Target.LabelSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": labels[0]}}
	}
	s := &configv1alpha1.Script{LuaScript: word}
	if strings.HasPrefix(word, "needs") {
		object.Spec.Customizations.DependencyInterpretation = s
	} else {
		object.Spec.Customizations.ReplicaResource = s
	}
	return customizations.Customization{Object: object}
}

func object(apiVersion, kind string, labels ...string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetAPIVersion(apiVersion)
	o.SetKind(kind)
	o.SetName("web")
	if len(labels) > 0 {
		o.SetLabels(map[string]string{"app": labels[0]})
	}
	return o
}

func newScript(lua, cel string) *configv1alpha1.Script {
	return &configv1alpha1.Script{LuaScript: lua, CELExpression: cel}
}
