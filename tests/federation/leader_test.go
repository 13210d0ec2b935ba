package federation

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/dragoman-io/dragoman/clusters"
)

var leases = schema.GroupVersionResource{Group: "coordination.k8s.io", Version: "v1", Resource: "leases"}

// Of two controller managers one acts. It is killed while objects go out: the other one takes over, nothing is lost, and
// nothing is done twice. While it waited it could not have written anything but the lease: it had no right to.
func TestLeaderElection(t *testing.T) {
	ns := newNamespace(t)
	stopManager()
	defer func() { require.NoError(t, startManager()) }()
	dir, space := t.TempDir(), newNamespaceOfControlPlane(t)
	elected := []string{"--leader-elect", "--leader-election-namespace", space}

	first, err := launch(shared.Kubeconfig, filepath.Join(dir, "first.log"), elected...)
	require.NoError(t, err)
	defer func() { _ = first.Process.Kill() }()
	var leader string
	awaits(t, control(), leases, space, "dragoman-controller-manager", "held", func(o *unstructured.Unstructured) error {
		leader, _, _ = unstructured.NestedString(o.Object, "spec", "holderIdentity")
		if leader == "" {
			return errors.New("nobody holds it")
		}
		return nil
	})

	log := filepath.Join(dir, "second.log")
	second, err := launch(onlookerKubeconfig(t, dir), log, elected...)
	require.NoError(t, err)
	defer func() { _ = second.Process.Kill(); _ = second.Wait() }()
	eventually(t, "the second to wait", func(context.Context) error { return logged(log, "Attempting to acquire leader lease") })

	const count = 40
	come := func(from, to int) {
		var all strings.Builder
		for i := from; i < to; i++ {
			all.WriteString(deployment(fmt.Sprintf("web-%02d", i), "nginx:1", 0))
		}
		apply(t, ns, all.String())
	}
	apply(t, ns, policy("web", "apps/v1", "Deployment", twoMembers, ""))
	apply(t, "", crontabRules("elected"))
	defer remove(t, control(), customizations, "", "crontab")
	come(0, count/2)
	arrived := map[string]map[string]types.UID{}
	eventually(t, "some objects to arrive", func(ctx context.Context) error {
		for _, m := range []string{"member1", "member2"} {
			list, err := member(m).Dynamic().Resource(deployments).Namespace(ns).List(ctx, metav1.ListOptions{})
			if err != nil {
				return err
			}
			if len(list.Items) < 3 {
				return errors.New("not enough")
			}
			arrived[m] = map[string]types.UID{}
			for i := range list.Items {
				arrived[m][list.Items[i].GetName()] = list.Items[i].GetUID()
			}
		}
		return nil
	})
	require.NoError(t, first.Process.Kill())
	_ = first.Wait() // it was killed
	come(count/2, count)
	t.Logf("%d and %d of %d objects were there", len(arrived["member1"]), len(arrived["member2"]), count)
	require.Error(t, logged(log, "forbidden"), "while it waits, the second writes nothing")
	bind(t, "onlooker-acts", "onlooker", "cluster-admin")

	for i := range count {
		name := fmt.Sprintf("web-%02d", i)
		for m, uids := range arrived {
			o := awaits(t, member(m), deployments, ns, name, "there", image("nginx:1"))
			if uid, there := uids[name]; there {
				assert.Equal(t, uid, o.GetUID(), "%s in %s was made again", name, m)
			}
			assert.Equal(t, int64(1), o.GetGeneration(), "%s in %s was changed", name, m)
		}
		awaits(t, control(), deployments, ns, name, "caught up", caughtUp)
	}
	require.NoError(t, exactly(t.Context(), ns, count, 2*count))
	awaits(t, control(), leases, space, "dragoman-controller-manager", "held by the second", func(o *unstructured.Unstructured) error {
		if holder, _, _ := unstructured.NestedString(o.Object, "spec", "holderIdentity"); holder == "" || holder == leader {
			return fmt.Errorf("%q holds it", holder)
		}
		return nil
	})
	awaits(t, control(), customizations, "", "crontab", "ready", func(o *unstructured.Unstructured) error {
		if conditionOf(o, "Ready") != "True" {
			return errors.New("it is not")
		}
		return nil
	})
}

// newNamespaceOfControlPlane makes a namespace for which nobody waits.
func newNamespaceOfControlPlane(t *testing.T) string {
	t.Helper()
	name := "kube-" + strings.ToLower(t.Name())
	require.NoError(t, control().Apply(t.Context(), "", clusters.Namespace(name)))
	return name
}

// onlookerKubeconfig returns a kubeconfig for somebody who may look at everything and change leases.
func onlookerKubeconfig(t *testing.T, dir string) string {
	t.Helper()
	apply(t, "", `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: onlooker}
rules:
- {apiGroups: ["*"], resources: ["*"], verbs: [get, list, watch]}
- {nonResourceURLs: ["*"], verbs: [get]}
- {apiGroups: [coordination.k8s.io], resources: [leases], verbs: [create, update, patch]}
`)
	bind(t, "onlooker", "onlooker", "onlooker")
	kubeconfig, err := clientcmd.LoadFromFile(control().Kubeconfig)
	require.NoError(t, err)
	kubeconfig.AuthInfos[clusters.ControlPlane].Impersonate = "onlooker"
	file := filepath.Join(dir, "kubeconfig")
	require.NoError(t, clientcmd.WriteToFile(*kubeconfig, file))
	return file
}

// bind gives a user a role of the control plane.
func bind(t *testing.T, name, user, role string) {
	t.Helper()
	apply(t, "", fmt.Sprintf(`
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: %s}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: %s}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: %s}]
`, name, role, user))
}

// logged returns an error unless the log has the text.
func logged(log, text string) error {
	data, err := os.ReadFile(log)
	if err != nil {
		return err
	}
	if !strings.Contains(string(data), text) {
		return fmt.Errorf("%q is not logged", text)
	}
	return nil
}
