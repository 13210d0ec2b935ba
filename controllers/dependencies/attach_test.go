package dependencies

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery/fake"
	clienttesting "k8s.io/client-go/testing"
	"sigs.k8s.io/controller-runtime/pkg/cache/informertest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	fakeclient "sigs.k8s.io/controller-runtime/pkg/client/fake"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/scheduler"
	"github.com/dragoman-io/dragoman/controllers/templates"
	"github.com/dragoman-io/dragoman/interpreter"
)

func clientWith(t *testing.T, objects ...client.Object) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	require.NoError(t, workv1alpha2.AddToScheme(scheme))
	builder := fakeclient.NewClientBuilder().WithScheme(scheme).WithObjects(objects...)
	for _, kind := range []client.Object{&workv1alpha2.ResourceBinding{}, &workv1alpha2.ClusterResourceBinding{}} {
		builder.WithIndex(kind, Index, func(o client.Object) []string { return IndexKeys(o.(workv1alpha2.Binding)) })
	}
	return builder.Build()
}

func parent() *workv1alpha2.ResourceBinding {
	return &workv1alpha2.ResourceBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web-deployment", UID: "b"},
		Spec: workv1alpha2.ResourceBindingSpec{
			Resource:      workv1alpha2.ObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "shop", Name: "web"},
			PropagateDeps: true, Clusters: []workv1alpha2.TargetCluster{{Name: "member1"}},
		},
	}
}

// The binding of a dependency that was made again under its name belongs to the new object, or it goes with the old one.
func TestAttachToAnObjectMadeAgain(t *testing.T) {
	settings := func(uid types.UID) client.Object {
		o := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "settings", UID: uid}}
		o.SetGroupVersionKind(schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"})
		return o
	}
	c := &Controller{Client: clientWith(t)}
	for _, uid := range []types.UID{"old", "new"} {
		key, err := c.attach(t.Context(), parent(), settings(uid))
		require.NoError(t, err)
		b, err := scheduler.Get(t.Context(), c.Client, key)
		require.NoError(t, err)
		assert.Equal(t, uid, b.BindingSpec().Resource.UID)
		require.Len(t, b.GetOwnerReferences(), 1)
		assert.Equal(t, uid, b.GetOwnerReferences()[0].UID)
		assert.Equal(t, []scheduler.Key{{Namespace: "shop", Name: "web-deployment"}}, RequiredBy(b))
	}
}

// A kind that nobody serves yet has no events by which its objects would be found.
func TestKindThatIsServedLater(t *testing.T) {
	deployment := schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(deployment, meta.RESTScopeNamespace)
	served := &fake.FakeDiscovery{Fake: &clienttesting.Fake{Resources: []*metav1.APIResourceList{{GroupVersion: "apps/v1"}}}}
	asks := interpreter.Func(func(schema.GroupVersionKind, interpreter.Operation) interpreter.Rule {
		return func(context.Context, *interpreter.Request) (*interpreter.Response, error) {
			return &interpreter.Response{Dependencies: []configv1alpha1.DependentObjectReference{
				{APIVersion: "example.com/v1", Kind: "Cron", Namespace: "shop", Name: "nightly"},
			}}, nil
		}
	})
	b := parent()
	c := &Controller{
		Client: clientWith(t, b), Interpreter: interpreter.Client{Interpreter: asks},
		Templates: templates.New(&informertest.FakeInformers{}, nil, mapper, served),
	}
	result, err := c.Reconcile(t.Context(), client.ObjectKeyFromObject(b))
	require.NoError(t, err)
	assert.Equal(t, notServedRetry, result.RequeueAfter)
}
