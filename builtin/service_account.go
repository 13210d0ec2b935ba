package builtin

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/dragoman-io/dragoman/interpreter/value"
)

var serviceAccount = kind{
	gvk:    corev1.SchemeGroupVersion.WithKind("ServiceAccount"),
	retain: retainServiceAccount,
	prune:  pruneServiceAccount,
}

// retainServiceAccount keeps the Secrets that the member added, after the desired ones.
func retainServiceAccount(copied, observed map[string]any) error {
	for _, field := range [...]string{"secrets", "imagePullSecrets"} {
		list, err := value.List(copied, field)
		if err != nil {
			return err
		}
		names := map[string]bool{}
		if err := eachName(copied, field, func(name string, _ map[string]any) { names[name] = true }); err != nil {
			return err
		}
		err = eachName(observed, field, func(name string, m map[string]any) {
			if !names[name] {
				names[name] = true
				list = append(list, value.CopyMap(m))
			}
		})
		if err != nil {
			return inObserved(err)
		}
		if len(list) > 0 {
			copied[field] = list
		}
	}
	return nil
}

// eachName calls visit with each object of the list at field of m and its name.
func eachName(m map[string]any, field string, visit func(string, map[string]any)) error {
	return value.Each(m, field, func(m map[string]any) error {
		name, err := value.String(m, "name")
		if err == nil && m != nil {
			visit(name, m)
		}
		return err
	})
}

// pruneServiceAccount removes the token Secrets that the control plane made for the account.
func pruneServiceAccount(copied map[string]any) {
	name, _ := value.StringAt(copied, "metadata", "name")
	secrets, _ := value.List(copied, "secrets")
	kept := slices.DeleteFunc(secrets, func(v any) bool {
		m, _ := v.(map[string]any)
		of, _ := m["name"].(string)
		return strings.HasPrefix(of, name+"-token-")
	})
	if len(kept) < len(secrets) {
		setList(copied, "secrets", kept)
	}
}
