package work

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/members"
)

func TestReport(t *testing.T) {
	scheme := runtime.NewScheme()
	require.NoError(t, workv1alpha1.AddToScheme(scheme))
	for _, tc := range []struct {
		reason  string
		outcome *outcome
		waits   bool
		want    map[string]metav1.ConditionStatus
	}{
		{reason: "nothing is known: Reconcile comes first"},
		{
			reason: "what is applied", outcome: &outcome{generation: 2},
			want: map[string]metav1.ConditionStatus{workv1alpha1.WorkApplied: metav1.ConditionTrue, workv1alpha1.WorkDispatching: metav1.ConditionTrue},
		},
		{
			reason: "what is kept back is neither applied nor refused", outcome: &outcome{generation: 2, suspended: true},
			want: map[string]metav1.ConditionStatus{workv1alpha1.WorkDispatching: metav1.ConditionFalse},
		},
		{reason: "what was just written has a moment to report", outcome: &outcome{generation: 2, changed: time.Now().Add(time.Hour)}, waits: true},
		{
			reason: "a failure does not wait", outcome: &outcome{generation: 2, changed: time.Now().Add(time.Hour), err: errors.New("refused")},
			want: map[string]metav1.ConditionStatus{workv1alpha1.WorkApplied: metav1.ConditionFalse, workv1alpha1.WorkDispatching: metav1.ConditionTrue},
		},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			work := &workv1alpha1.Work{ObjectMeta: metav1.ObjectMeta{Namespace: workv1alpha1.ExecutionNamespace("member1"), Name: "web", UID: "u", Generation: 2}}
			cl := fake.NewClientBuilder().WithScheme(scheme).WithObjects(work).WithStatusSubresource(work).Build()
			c, key := &Controller{Client: cl}, client.ObjectKeyFromObject(work)
			if tc.outcome != nil {
				c.found(key, c.record(work.UID), *tc.outcome)
			}
			var version string
			for range 2 { // the second time there is nothing to write
				result, err := c.Report(t.Context(), key)
				require.NoError(t, err)
				assert.Equal(t, tc.waits, result.RequeueAfter > 0)
				require.NoError(t, cl.Get(t.Context(), key, work))
				if version != "" {
					assert.Equal(t, version, work.ResourceVersion)
				}
				version = work.ResourceVersion
			}
			got := map[string]metav1.ConditionStatus{}
			for _, condition := range work.Status.Conditions {
				got[condition.Type] = condition.Status
				assert.Equal(t, int64(2), condition.ObservedGeneration)
			}
			if tc.want == nil {
				tc.want = map[string]metav1.ConditionStatus{}
			}
			assert.Equal(t, tc.want, got)
			if failed := meta.FindStatusCondition(work.Status.Conditions, workv1alpha1.WorkApplied); failed != nil && failed.Status == metav1.ConditionFalse {
				assert.Equal(t, "refused", failed.Message)
			}
		})
	}
}

// What cannot be interpreted now is asked again, since nobody tells when it can be.
func TestReportAsksAgain(t *testing.T) {
	scheme := runtime.NewScheme()
	require.NoError(t, workv1alpha1.AddToScheme(scheme))
	work := &workv1alpha1.Work{ObjectMeta: metav1.ObjectMeta{Namespace: workv1alpha1.ExecutionNamespace("member1"), Name: "web", UID: "u"}}
	connected := members.New(nil, nil)
	_, err := connected.Connect(t.Context(), "member1", &rest.Config{Host: "http://127.0.0.1:1"}) // nobody says what it serves
	require.NoError(t, err)
	problems := 0
	c := &Controller{
		Client:  fake.NewClientBuilder().WithScheme(scheme).WithObjects(work).WithStatusSubresource(work).Build(),
		Members: connected, Event: func(client.Object, bool, string, string) { problems++ },
	}
	key := client.ObjectKeyFromObject(work)
	c.found(key, c.record(work.UID), outcome{observed: object(t, "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}}")})
	for range 2 {
		result, err := c.Report(t.Context(), key)
		require.NoError(t, err)
		assert.Equal(t, interpretRetry, result.RequeueAfter)
	}
	assert.Equal(t, 1, problems, "it is told once")
	require.NoError(t, c.Client.Get(t.Context(), key, work))
	assert.Len(t, work.Status.Conditions, 2, "what is known is written")
}
