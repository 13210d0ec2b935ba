package clusters

import (
	"context"
	"fmt"
	"slices"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/crds"
	"github.com/dragoman-io/dragoman/deploy/policies"
)

const (
	// systemNamespace is where the control plane keeps what belongs to the controllers, and a member the account of the control plane.
	systemNamespace = "karmada-system"
	// clusterNamespace is where the control plane keeps the credentials of its members.
	clusterNamespace = "karmada-cluster"
	// accountName is the service account in a member that the control plane uses, and the name of its rights: not those of the chart,
	// which may be installed in a member.
	accountName = "dragoman-control-plane"
	// tokenSeconds is how long a member's token holds: ten years.
	tokenSeconds = 10 * 365 * 24 * 3600
)

// Register makes the control plane one that knows its members: it gets the CustomResourceDefinitions and the admission policies of
// this project, and for each member a Cluster object with sync mode Push and a Secret with a token for the member. It may be called again; tokens are
// renewed then.
func (f *Federation) Register(ctx context.Context) error {
	definitions, err := crds.Objects()
	if err != nil {
		return fmt.Errorf("register members: %w", err)
	}
	admission, err := policies.Objects()
	if err != nil {
		return fmt.Errorf("register members: %w", err)
	}
	objects := slices.Concat(definitions, admission, []*unstructured.Unstructured{Namespace(clusterNamespace), Namespace(systemNamespace)})
	if err := f.ControlPlane().Apply(ctx, "", objects...); err != nil {
		return fmt.Errorf("register members: %w", err)
	}
	for _, member := range f.Members() {
		token, err := member.admit(ctx)
		if err != nil {
			return fmt.Errorf("register member %s: %w", member.Name, err)
		}
		objects, err := registration(member, token)
		if err != nil {
			return fmt.Errorf("register member %s: %w", member.Name, err)
		}
		if err := f.ControlPlane().Apply(ctx, "", objects...); err != nil {
			return fmt.Errorf("register member %s: %w", member.Name, err)
		}
	}
	return nil
}

// admit makes a service account with cluster-admin rights in the member and returns a token for it.
func (c *Cluster) admit(ctx context.Context) (string, error) {
	err := c.Apply(ctx, "",
		Namespace(systemNamespace),
		&unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1",
			"kind":       "ServiceAccount",
			"metadata":   map[string]any{"namespace": systemNamespace, "name": accountName},
		}},
		&unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "rbac.authorization.k8s.io/v1",
			"kind":       "ClusterRoleBinding",
			"metadata":   map[string]any{"name": accountName},
			"roleRef":    map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
			"subjects":   []any{map[string]any{"kind": "ServiceAccount", "namespace": systemNamespace, "name": accountName}},
		}},
	)
	if err != nil {
		return "", err
	}
	client, err := kubernetes.NewForConfig(c.config)
	if err != nil {
		return "", err
	}
	seconds := int64(tokenSeconds)
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &seconds}}
	response, err := client.CoreV1().ServiceAccounts(systemNamespace).CreateToken(ctx, accountName, request, metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("request a token for %s/%s: %w", systemNamespace, accountName, err)
	}
	return response.Status.Token, nil
}

// registration returns the objects by which the control plane knows a member.
func registration(member *Cluster, token string) ([]*unstructured.Unstructured, error) {
	secret := &corev1.Secret{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: metav1.ObjectMeta{Namespace: clusterNamespace, Name: member.Name},
		Data:       map[string][]byte{"token": []byte(token), "caBundle": member.config.CAData},
	}
	reference := &clusterv1alpha1.LocalSecretReference{Namespace: clusterNamespace, Name: member.Name}
	cluster := &clusterv1alpha1.Cluster{
		TypeMeta:   metav1.TypeMeta{APIVersion: clusterv1alpha1.GroupVersion.String(), Kind: "Cluster"},
		ObjectMeta: metav1.ObjectMeta{Name: member.Name},
		Spec: clusterv1alpha1.ClusterSpec{
			SyncMode:              clusterv1alpha1.Push,
			APIEndpoint:           member.Server,
			SecretRef:             reference,
			ImpersonatorSecretRef: reference,
			Provider:              "local",
			Region:                member.Name,
		},
	}
	var objects []*unstructured.Unstructured
	for _, typed := range []any{secret, cluster} {
		object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(typed)
		if err != nil {
			return nil, err
		}
		delete(object, "status")
		objects = append(objects, &unstructured.Unstructured{Object: object})
	}
	return objects, nil
}

// Namespace returns a Namespace to apply.
func Namespace(name string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name},
	}}
}
