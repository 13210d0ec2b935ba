package builtin

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/interpreter/value"
)

// ownMetadata are the fields of metadata that the API server which holds an object writes, or that refer to other objects
// there.
var ownMetadata = [...]string{
	"creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "finalizers", "generation", "managedFields",
	"ownerReferences", "resourceVersion", "selfLink", "uid",
}

// Prune returns a copy of object without what must not travel to a member cluster: what the control plane's API server and
// controllers wrote into it, and its status. The kind's own part goes by group and kind, so that a Job of another group
// keeps everything. Parts of the wrong shape stay as they are.
func Prune(object *unstructured.Unstructured) *unstructured.Unstructured {
	out := &unstructured.Unstructured{Object: value.CopyMap(object.Object)}
	if metadata, _ := value.Map(out.Object, "metadata"); metadata != nil {
		for _, field := range ownMetadata {
			delete(metadata, field)
		}
	}
	delete(out.Object, "status")
	group := out.GroupVersionKind().GroupKind()
	for _, k := range kinds {
		if k.prune != nil && k.gvk.GroupKind() == group {
			k.prune(out.Object)
		}
	}
	return out
}

// removeAnnotations removes annotations of copied, and their map when that leaves none.
func removeAnnotations(copied map[string]any, keys ...string) {
	removeKeys(copied, []string{"metadata"}, "annotations", keys...)
}

// removeKeys removes keys from the map at field of the object that path leads to, and the map when that leaves it empty.
func removeKeys(copied map[string]any, path []string, field string, keys ...string) {
	parent, _ := value.MapAt(copied, path...)
	m, _ := value.Map(parent, field)
	before := len(m)
	for _, key := range keys {
		delete(m, key)
	}
	if before > 0 && len(m) == 0 {
		delete(parent, field)
	}
}
