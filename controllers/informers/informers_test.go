package informers_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/dragoman-io/dragoman/controllers/informers"
)

// holding is a source of objects that never change.
type holding struct{ objects runtime.Object }

func (h holding) List(metav1.ListOptions) (runtime.Object, error)     { return h.objects, nil }
func (h holding) Watch(metav1.ListOptions) (watch.Interface, error)   { return watch.NewFake(), nil }
func (h holding) IsWatchListSemanticsUnSupported() (unsupported bool) { return true }

func TestObjects(t *testing.T) {
	all := informers.For(clientgoscheme.Scheme)
	assert.Empty(t, all.Objects())
	typed := all.New(holding{&corev1.SecretList{Items: []corev1.Secret{
		{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "x"}}, {ObjectMeta: metav1.ObjectMeta{Namespace: "b", Name: "x"}},
	}}}, &corev1.Secret{}, time.Hour, toolscache.Indexers{})
	widget := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "w", "namespace": "a"},
	}}
	plain := all.New(holding{&unstructured.UnstructuredList{Items: []unstructured.Unstructured{*widget}}}, widget, time.Hour, toolscache.Indexers{})

	ctx, stop := context.WithCancel(t.Context())
	go plain.RunWithContext(ctx)
	go typed.RunWithContext(t.Context())
	require.True(t, toolscache.WaitForCacheSync(t.Context().Done(), plain.HasSynced, typed.HasSynced))
	secrets, widgets := schema.GroupVersionKind{Version: "v1", Kind: "Secret"}, widget.GroupVersionKind()
	assert.Equal(t, map[schema.GroupVersionKind]int{secrets: 2, widgets: 1}, all.Objects())

	stop()
	for !plain.IsStopped() {
		time.Sleep(time.Millisecond)
	}
	assert.Equal(t, map[schema.GroupVersionKind]int{secrets: 2}, all.Objects(), "an informer that ended holds nothing that is used")
}
