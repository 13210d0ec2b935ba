package binding

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/builtin"
	"github.com/dragoman-io/dragoman/controllers/detector"
	"github.com/dragoman-io/dragoman/controllers/override"
	"github.com/dragoman-io/dragoman/interpreter"
)

// manifest is an object as a cluster is to have it.
type manifest struct {
	object  *unstructured.Unstructured
	applied override.Result
}

// manifest returns the template as target is to have it: its share of the replicas, overridden, marked, and without
// what must not travel.
func (c *Controller) manifest(ctx context.Context, b workv1alpha2.Binding, template *unstructured.Unstructured, target workv1alpha2.TargetCluster, cluster *clusterv1alpha1.Cluster, policies override.Policies, all []workv1alpha2.TargetCluster) (manifest, error) {
	object := template
	spec := b.BindingSpec()
	// A binding with components is never revised by a number of replicas, which it does not have; nor is an object in a
	// cluster where it only accompanies another one.
	scheduled := slices.ContainsFunc(spec.Clusters, func(t workv1alpha2.TargetCluster) bool { return t.Name == target.Name })
	if spec.IsWorkload() && len(spec.Components) == 0 && scheduled {
		revised, err := c.Interpreter.ReviseReplica(ctx, template, target.Replicas, interpreter.Placement{Cluster: target.Name, Targets: all})
		switch {
		case err == nil:
			object = revised
		case !errors.Is(err, interpreter.ErrNotHandled):
			return manifest{}, err
		}
	}
	applied, err := override.Apply(object, cluster, policies, builtin.PodTemplatePaths(template.GroupVersionKind()))
	if err != nil {
		return manifest{}, err
	}
	object = builtin.Prune(applied.Object)
	return manifest{object: object, applied: applied}, nil
}

// mark writes into object what ties it to its template, binding and Work. workID is the permanent id of the Work.
func mark(object *unstructured.Unstructured, b workv1alpha2.Binding, template *unstructured.Unstructured, cluster, work, workID string) {
	userLabels, userAnnotations := object.GetLabels(), object.GetAnnotations()
	for _, k := range detector.ClaimLabels {
		delete(userLabels, k)
	}
	for _, k := range detector.ClaimAnnotations {
		delete(userAnnotations, k)
	}
	labels, annotations := maps.Clone(userLabels), maps.Clone(userAnnotations)
	if labels == nil {
		labels = map[string]string{}
	}
	if annotations == nil {
		annotations = map[string]string{}
	}
	// The claim is taken from the binding: the template may not have it yet, and must not travel twice for it.
	copyKeys(labels, b.GetLabels(), detector.ClaimLabels)
	copyKeys(annotations, b.GetAnnotations(), detector.ClaimAnnotations)

	idLabel, id := permanentID(b)
	labels[idLabel] = id
	labels[workv1alpha2.WorkPermanentIDLabel] = workID
	labels[workv1alpha2.ManagedByKarmadaLabel] = workv1alpha2.ManagedByKarmadaLabelValue
	maps.Copy(annotations, bindingAnnotations(b))
	annotations[workv1alpha2.WorkNamespaceAnnotation] = workv1alpha1.ExecutionNamespace(cluster)
	annotations[workv1alpha2.WorkNameAnnotation] = work
	annotations[workv1alpha2.ResourceTemplateUIDAnnotation] = string(template.GetUID())
	annotations[workv1alpha2.ResourceTemplateGenerationAnnotation] = strconv.FormatInt(template.GetGeneration(), 10)
	if _, own := annotations[workv1alpha2.ResourceConflictResolutionAnnotation]; !own &&
		b.BindingSpec().ConflictResolution == policyv1alpha1.ConflictOverwrite {
		annotations[workv1alpha2.ResourceConflictResolutionAnnotation] = workv1alpha2.ResourceConflictResolutionOverwrite
	}
	annotations[workv1alpha2.ManagedLabels] = keyList(labels)
	annotations[workv1alpha2.ManagedAnnotations] = ""
	annotations[workv1alpha2.ManagedAnnotations] = keyList(annotations)
	object.SetLabels(labels)
	object.SetAnnotations(annotations)
}

func copyKeys(to, from map[string]string, keys []string) {
	for _, k := range keys {
		if v, ok := from[k]; ok {
			to[k] = v
		}
	}
}

func keyList(m map[string]string) string {
	return strings.Join(slices.Sorted(maps.Keys(m)), ",")
}

// permanentID returns the label of b's permanent id, and the id.
func permanentID(b workv1alpha2.Binding) (label, id string) {
	label = workv1alpha2.ResourceBindingPermanentIDLabel
	if b.GetNamespace() == "" {
		label = workv1alpha2.ClusterResourceBindingPermanentIDLabel
	}
	return label, b.GetLabels()[label]
}

// bindingAnnotations returns the annotations that name b.
func bindingAnnotations(b workv1alpha2.Binding) map[string]string {
	if b.GetNamespace() == "" {
		return map[string]string{workv1alpha2.ClusterResourceBindingAnnotation: b.GetName()}
	}
	return map[string]string{
		workv1alpha2.ResourceBindingNamespaceAnnotation: b.GetNamespace(),
		workv1alpha2.ResourceBindingNameAnnotation:      b.GetName(),
	}
}

// overrideAnnotations returns the annotations that tell what was overridden.
func overrideAnnotations(applied override.Result) (map[string]string, error) {
	out := map[string]string{}
	for key, list := range map[string][]override.Applied{
		policyv1alpha1.AppliedClusterOverridesAnnotation: applied.Cluster,
		policyv1alpha1.AppliedOverridesAnnotation:        applied.Namespaced,
	} {
		if len(list) == 0 {
			continue
		}
		encoded, err := json.Marshal(list)
		if err != nil {
			return nil, fmt.Errorf("encode applied overrides: %w", err)
		}
		out[key] = string(encoded)
	}
	return out, nil
}
