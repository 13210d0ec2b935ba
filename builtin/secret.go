package builtin

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/dragoman-io/dragoman/interpreter/value"
)

var secret = kind{
	gvk:    corev1.SchemeGroupVersion.WithKind("Secret"),
	retain: retainSecret,
	prune: func(copied map[string]any) {
		if isToken(copied) {
			removeAnnotations(copied, corev1.ServiceAccountUIDKey)
			delete(copied, "data")
		}
	},
}

// isToken tells whether the secret holds the token of a service account, which each cluster issues itself.
func isToken(object map[string]any) bool {
	return object["type"] == string(corev1.SecretTypeServiceAccountToken)
}

// retainSecret keeps the token that the member issued.
func retainSecret(copied, observed map[string]any) error {
	if _, err := value.String(copied, "type"); err != nil || !isToken(copied) {
		return err
	}
	data, err := value.Map(observed, "data")
	if err != nil {
		return inObserved(err)
	}
	if data != nil {
		replace(copied, observed, "data")
	}
	return nil
}
