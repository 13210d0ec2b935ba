package controllers

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

func TestWarningsAreToldOnce(t *testing.T) {
	earlier := &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web.1"}, ReportingController: eventSource, Type: corev1.EventTypeWarning,
		InvolvedObject: corev1.ObjectReference{UID: "1"}, Reason: "InterpretFailed", Message: "cluster member1: no",
	}
	index := func(value func(*corev1.Event) string) client.IndexerFunc {
		return func(o client.Object) []string { return []string{value(o.(*corev1.Event))} }
	}
	reader := fake.NewClientBuilder().WithObjects(earlier).
		WithIndex(earlier, "reportingComponent", index(func(e *corev1.Event) string { return e.ReportingController })).
		WithIndex(earlier, "type", index(func(e *corev1.Event) string { return e.Type })).Build()
	web := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", UID: "1"}}
	other := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "other", UID: "2"}}

	known := &told{reader: reader}
	assert.False(t, known.before(t.Context(), web, "InterpretFailed", "cluster member2: no"), "another note")
	assert.False(t, known.before(t.Context(), other, "InterpretFailed", "cluster member1: no"), "another object")
	assert.True(t, known.before(t.Context(), web, "InterpretFailed", "cluster member1: no"))
	assert.False(t, known.before(t.Context(), web, "InterpretFailed", "cluster member1: no"), "it went and came back")

	broken := &told{reader: interceptor.NewClient(reader, interceptor.Funcs{
		List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error {
			return errors.New("forbidden")
		},
	})}
	assert.False(t, broken.before(t.Context(), web, "InterpretFailed", "cluster member1: no"), "better twice than never")
}
