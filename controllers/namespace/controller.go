package namespace

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/uuid"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/override"
)

// Kind returns an empty namespace as the manager's cache has namespaces: their metadata, which is all that travels.
func Kind() *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}}
}

// Controller writes the Works of namespaces.
type Controller struct {
	// Client reads from the manager's cache, and writes Works.
	Client client.Client
	// Propagates tells whether objects of a namespace may be propagated at all.
	Propagates func(namespace string) bool
}

// retry is how soon a namespace is looked at again whose Work cannot be written now. Nobody tells when it can be: Works
// are not watched for it.
const retry = 2 * time.Second

// Reconcile brings the Works of one namespace up to date.
func (c *Controller) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	if req.Name == metav1.NamespaceDefault || !c.Propagates(req.Name) {
		return reconcile.Result{}, nil
	}
	namespace := Kind()
	err := c.Client.Get(ctx, req.NamespacedName, namespace)
	if err != nil && !apierrors.IsNotFound(err) {
		return reconcile.Result{}, err
	}
	gone := apierrors.IsNotFound(err) || namespace.DeletionTimestamp != nil ||
		namespace.Labels[policyv1alpha1.NamespaceSkipAutoPropagationLabel] == "true"
	var clusters clusterv1alpha1.ClusterList
	if err := c.Client.List(ctx, &clusters); err != nil {
		return reconcile.Result{}, fmt.Errorf("list Clusters: %w", err)
	}
	result := reconcile.Result{}
	for i := range clusters.Items {
		cluster, written := &clusters.Items[i], true
		if gone {
			err = c.remove(ctx, req.Name, cluster.Name)
		} else if cluster.DeletionTimestamp == nil {
			written, err = c.write(ctx, namespace, cluster)
		}
		if err != nil {
			return reconcile.Result{}, fmt.Errorf("namespace %s, cluster %s: %w", req.Name, cluster.Name, err)
		}
		if !written {
			result.RequeueAfter = retry
		}
	}
	return result, nil
}

func workKey(namespace, cluster string) client.ObjectKey {
	return client.ObjectKey{Namespace: workv1alpha1.ExecutionNamespace(cluster), Name: workv1alpha1.WorkName("Namespace", "", namespace)}
}

func (c *Controller) remove(ctx context.Context, namespace, cluster string) error {
	work := &workv1alpha1.Work{}
	if err := c.Client.Get(ctx, workKey(namespace, cluster), work); err != nil || work.DeletionTimestamp != nil {
		return client.IgnoreNotFound(err)
	}
	return client.IgnoreNotFound(c.Client.Delete(ctx, work))
}

// write creates or changes the namespace's Work for the cluster, and tells whether it could: it cannot while an earlier
// Work leaves, or before the cluster's own namespace is there.
func (c *Controller) write(ctx context.Context, namespace *metav1.PartialObjectMetadata, cluster *clusterv1alpha1.Cluster) (bool, error) {
	key := workKey(namespace.Name, cluster.Name)
	current := &workv1alpha1.Work{}
	err := c.Client.Get(ctx, key, current)
	if err != nil && !apierrors.IsNotFound(err) {
		return false, err
	}
	exists := err == nil
	if exists && current.DeletionTimestamp != nil {
		return false, nil
	}
	next := &workv1alpha1.Work{ObjectMeta: metav1.ObjectMeta{
		Namespace: key.Namespace, Name: key.Name,
		Labels:     map[string]string{workv1alpha2.WorkPermanentIDLabel: string(uuid.NewUUID())},
		Finalizers: []string{workv1alpha2.ExecutionControllerFinalizer},
	}}
	if exists {
		next = current.DeepCopy()
	}
	object, err := c.manifest(ctx, namespace, cluster, next)
	if err != nil {
		return false, err
	}
	raw, err := json.Marshal(object.Object)
	if err != nil {
		return false, err
	}
	next.Spec.Workload.Manifests = []workv1alpha1.Manifest{{}}
	next.Spec.Workload.Manifests[0].Raw = raw
	switch {
	case !exists:
		err = c.Client.Create(ctx, next)
		if apierrors.IsNotFound(err) || apierrors.IsAlreadyExists(err) {
			// Either the cluster's namespace is not there yet, or the cache is behind: the Work was written a moment ago, maybe
			// for an earlier state of the namespace.
			return false, nil
		}
		return err == nil, err
	case equality.Semantic.DeepEqual(current.Spec, next.Spec):
		return true, nil
	default:
		err = c.Client.Update(ctx, next)
		return err == nil, err
	}
}

// manifest returns the namespace as the cluster is to have it.
func (c *Controller) manifest(ctx context.Context, namespace *metav1.PartialObjectMetadata, cluster *clusterv1alpha1.Cluster, work *workv1alpha1.Work) (*unstructured.Unstructured, error) {
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": namespace.Name},
	}}
	labels := map[string]string{
		workv1alpha2.ManagedByKarmadaLabel: workv1alpha2.ManagedByKarmadaLabelValue,
		workv1alpha2.WorkPermanentIDLabel:  work.Labels[workv1alpha2.WorkPermanentIDLabel],
	}
	maps.Copy(labels, namespace.Labels)
	annotations := map[string]string{
		workv1alpha2.WorkNamespaceAnnotation: work.Namespace, workv1alpha2.WorkNameAnnotation: work.Name,
		workv1alpha2.ResourceTemplateUIDAnnotation:        string(namespace.UID),
		workv1alpha2.ResourceTemplateGenerationAnnotation: strconv.FormatInt(namespace.Generation, 10),
		// A namespace that the member has already is shared, never a conflict.
		workv1alpha2.ResourceConflictResolutionAnnotation: workv1alpha2.ResourceConflictResolutionOverwrite,
	}
	maps.Copy(annotations, namespace.Annotations)
	object.SetLabels(labels)
	object.SetAnnotations(annotations)
	var policies policyv1alpha1.ClusterOverridePolicyList
	if err := c.Client.List(ctx, &policies); err != nil {
		return nil, fmt.Errorf("list ClusterOverridePolicies: %w", err)
	}
	var which override.Policies
	for i := range policies.Items {
		which.Cluster = append(which.Cluster, &policies.Items[i])
	}
	// A policy without selectors is about what is propagated by policies, which namespaces are not.
	which.Cluster = slices.DeleteFunc(which.Cluster, func(p *policyv1alpha1.ClusterOverridePolicy) bool { return len(p.Spec.ResourceSelectors) == 0 })
	result, err := override.Apply(object, cluster, which, nil)
	if err != nil {
		return nil, err
	}
	return result.Object, nil
}
