package namespace

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
)

// A Work that cannot be written now is written later, though nothing happens that this controller is told of.
func TestWorkIsWrittenLater(t *testing.T) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		corev1.AddToScheme, clusterv1alpha1.AddToScheme, policyv1alpha1.AddToScheme, workv1alpha1.AddToScheme,
	} {
		require.NoError(t, add(scheme))
	}
	works := schema.GroupResource{Group: "work.karmada.io", Resource: "works"}
	key := workKey("shop", "member1")
	leaving := &workv1alpha1.Work{ObjectMeta: metav1.ObjectMeta{
		Namespace: key.Namespace, Name: key.Name, DeletionTimestamp: new(metav1.Now()), Finalizers: []string{"test/held"},
	}}
	for _, tc := range []struct {
		reason string
		work   []client.Object
		// refusal is what the API server answers to the first creation.
		refusal error
	}{
		{reason: "the namespace was made again before the Work of the earlier one has left", work: []client.Object{leaving}},
		{reason: "the cluster joins again, and its own namespace is not there yet", refusal: apierrors.NewNotFound(works, key.Name)},
		{reason: "the cache does not have yet what was written for an earlier state", refusal: apierrors.NewAlreadyExists(works, key.Name)},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			refusal := tc.refusal
			cl := fake.NewClientBuilder().WithScheme(scheme).WithObjects(tc.work...).WithObjects(
				&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}},
				&clusterv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "member1"}},
			).WithInterceptorFuncs(interceptor.Funcs{
				Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
					if err := refusal; err != nil {
						refusal = nil
						return err
					}
					return c.Create(ctx, o, opts...)
				},
			}).Build()
			c := &Controller{Client: cl, Propagates: func(string) bool { return true }}
			request := reconcile.Request{NamespacedName: client.ObjectKey{Name: "shop"}}
			result, err := c.Reconcile(t.Context(), request)
			require.NoError(t, err)
			require.NotZero(t, result.RequeueAfter, "nobody comes again")

			work := &workv1alpha1.Work{}
			if err := cl.Get(t.Context(), key, work); err == nil {
				work.Finalizers = nil
				require.NoError(t, cl.Update(t.Context(), work))
			}
			result, err = c.Reconcile(t.Context(), request)
			require.NoError(t, err)
			assert.Zero(t, result.RequeueAfter)
			require.NoError(t, cl.Get(t.Context(), key, work))
			assert.Len(t, work.Spec.Workload.Manifests, 1)
		})
	}
}
