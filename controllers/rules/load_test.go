package rules

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/event"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
)

func TestOtherRules(t *testing.T) {
	customization := func(uid types.UID, generation int64, version string) *configv1alpha1.ResourceInterpreterCustomization {
		return &configv1alpha1.ResourceInterpreterCustomization{ObjectMeta: metav1.ObjectMeta{
			Name: "c", UID: uid, Generation: generation, ResourceVersion: version,
		}}
	}
	for _, tc := range []struct {
		reason        string
		before, after *configv1alpha1.ResourceInterpreterCustomization
		want          bool
	}{
		{"a status that was written is no other rule", customization("1", 1, "1"), customization("1", 1, "2"), false},
		{"an edit is", customization("1", 1, "1"), customization("1", 2, "2"), true},
		{"deleted and made again while the watch was interrupted", customization("1", 1, "1"), customization("2", 1, "2"), true},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			assert.Equal(t, tc.want, otherRules.Update(event.UpdateEvent{ObjectOld: tc.before, ObjectNew: tc.after}))
		})
	}
}
