package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/binding"
	"github.com/dragoman-io/dragoman/controllers/members"
)

// Controller looks after Clusters.
type Controller struct {
	// Client reads from the manager's cache, and writes Clusters, Works and namespaces.
	Client client.Client
	// Live reads from the control plane itself.
	Live client.Reader
	// Members gets the connections.
	Members *members.Members
	// Connected is called after a cluster was connected; its Works want to be looked at.
	Connected func(cluster string)
	// Event tells the user about a Cluster.
	Event func(regarding client.Object, warning bool, reason, note string)
	// Period is how often a cluster is looked at. Zero means 10 s.
	Period time.Duration
	// FailureThreshold is for how long a ready cluster has to fail before it is not ready; SuccessThreshold for how long
	// one that is not has to answer before it is ready again. Zero means 30 s.
	FailureThreshold, SuccessThreshold time.Duration

	mu    sync.Mutex
	known map[string]*connection
}

// connection is what is remembered about a cluster.
type connection struct {
	config *rest.Config
	// proxyURL and proxyHeader are in config too, as functions, which cannot be compared.
	proxyURL    string
	proxyHeader map[string]string
	clients     kubernetes.Interface
	// member is what was connected so; nil before.
	member *members.Member
	// since is when the cluster began to answer otherwise than its condition Ready says; zero while it agrees.
	since time.Time
}

// Reconcile looks at one cluster.
func (c *Controller) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	cached := &clusterv1alpha1.Cluster{}
	if err := c.Client.Get(ctx, req.NamespacedName, cached); err != nil {
		if apierrors.IsNotFound(err) {
			c.disconnect(req.Name)
			return reconcile.Result{}, nil
		}
		return reconcile.Result{}, err
	}
	cluster := cached.DeepCopy()
	if cluster.DeletionTimestamp != nil {
		return c.leave(ctx, cached, cluster)
	}
	if controllerutil.AddFinalizer(cluster, clusterv1alpha1.ClusterControllerFinalizer) {
		if err := c.Client.Update(ctx, cluster); err != nil {
			return reconcile.Result{}, fmt.Errorf("take Cluster %s in: %w", cluster.Name, err)
		}
	}
	if err := c.ensureNamespace(ctx, cluster.Name); err != nil {
		return reconcile.Result{}, err
	}
	if cluster.Spec.SyncMode == clusterv1alpha1.Pull {
		return reconcile.Result{}, nil // its agent looks after it
	}
	if err := c.report(ctx, cached, cluster); err != nil {
		return reconcile.Result{}, err
	}
	return reconcile.Result{RequeueAfter: or(c.Period, 10*time.Second)}, nil
}

func or(d, otherwise time.Duration) time.Duration {
	if d == 0 {
		return otherwise
	}
	return d
}

// ensureNamespace creates the namespace that holds the cluster's Works.
func (c *Controller) ensureNamespace(ctx context.Context, cluster string) error {
	name := workv1alpha1.ExecutionNamespace(cluster)
	// The cache has the metadata of namespaces, which is enough to see that one is there.
	known := &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}}
	err := c.Client.Get(ctx, client.ObjectKey{Name: name}, known)
	if !apierrors.IsNotFound(err) {
		return err
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if err := c.Client.Create(ctx, namespace); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create namespace %s: %w", name, err)
	}
	return nil
}

// connect returns the clients for the cluster, connected anew when how it is reached has changed.
func (c *Controller) connect(ctx context.Context, cluster *clusterv1alpha1.Cluster) (*connection, error) {
	config, err := RESTConfig(ctx, c.Live, cluster)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil {
		c.known = map[string]*connection{}
	}
	old := c.known[cluster.Name]
	if old != nil && sameConfig(old.config, config) &&
		old.proxyURL == cluster.Spec.ProxyURL && maps.Equal(old.proxyHeader, cluster.Spec.ProxyHeader) {
		return old, nil
	}
	impatient := rest.CopyConfig(config)
	impatient.Timeout = surveyTimeout
	clients, err := kubernetes.NewForConfig(impatient)
	if err != nil {
		return nil, err
	}
	next := &connection{
		config: config, proxyURL: cluster.Spec.ProxyURL, proxyHeader: maps.Clone(cluster.Spec.ProxyHeader), clients: clients,
	}
	if old != nil {
		next.since = old.since
	}
	c.known[cluster.Name] = next
	return next, nil
}

// sameConfig tells whether two configs are the same, proxies apart.
func sameConfig(a, b *rest.Config) bool {
	return a.Host == b.Host && a.BearerToken == b.BearerToken && a.Insecure == b.Insecure && bytes.Equal(a.CAData, b.CAData)
}

func (c *Controller) disconnect(cluster string) {
	c.mu.Lock()
	delete(c.known, cluster)
	c.mu.Unlock()
	c.Members.Disconnect(cluster)
}

const (
	// healthTimeout is how long a cluster may take to say how it is.
	healthTimeout = 5 * time.Second
	// surveyTimeout is how long it may take for any other answer.
	surveyTimeout = 15 * time.Second
)

// report writes what the cluster is like, if it is not what was written.
func (c *Controller) report(ctx context.Context, before, cluster *clusterv1alpha1.Cluster) error {
	conn, err := c.connect(ctx, cluster)
	var online, healthy bool
	var message string
	if err != nil {
		message = err.Error()
	} else {
		check, cancel := context.WithTimeout(ctx, healthTimeout)
		online, healthy, message = health(check, conn.clients.Discovery())
		cancel()
	}
	ready := c.settled(cluster, conn, condition(online, healthy, message, cluster.Generation))
	if online && conn != nil {
		if err := c.ensureMember(ctx, cluster.Name, conn); err != nil {
			return err
		}
		if cluster.DeletionTimestamp != nil {
			// Nobody asks any more what it serves and has.
		} else if err := survey(ctx, conn, cluster); err != nil {
			meta.SetStatusCondition(&cluster.Status.Conditions, metav1.Condition{
				Type: clusterv1alpha1.ClusterConditionCompleteAPIEnablements, Status: metav1.ConditionFalse,
				Reason: "Incomplete", Message: err.Error(),
			})
		}
	}
	was := meta.FindStatusCondition(before.Status.Conditions, clusterv1alpha1.ClusterConditionReady)
	meta.SetStatusCondition(&cluster.Status.Conditions, ready)
	if !equality.Semantic.DeepEqual(before.Status, cluster.Status) {
		if err := c.Client.Status().Update(ctx, cluster); err != nil {
			return fmt.Errorf("write the status of Cluster %s: %w", cluster.Name, err)
		}
	}
	if was == nil || was.Status != ready.Status {
		log.FromContext(ctx).Info("whether the cluster is ready has changed", "cluster", cluster.Name, "ready", ready.Status, "message", ready.Message)
		c.Event(cluster, ready.Status != metav1.ConditionTrue, "ClusterReady"+string(ready.Status), ready.Message)
	}
	if cluster.DeletionTimestamp != nil {
		return nil
	}
	return c.taint(ctx, cluster, ready.Status)
}

func condition(online, healthy bool, message string, generation int64) metav1.Condition {
	out := metav1.Condition{Type: clusterv1alpha1.ClusterConditionReady, Message: message, ObservedGeneration: generation}
	switch {
	case healthy:
		out.Status, out.Reason = metav1.ConditionTrue, "ClusterReady"
	case online:
		out.Status, out.Reason = metav1.ConditionFalse, "ClusterNotReady"
	default:
		out.Status, out.Reason = metav1.ConditionFalse, "ClusterNotReachable"
	}
	return out
}

// settled returns the condition Ready to write: what it says now, until the opposite has been seen for long enough.
func (c *Controller) settled(cluster *clusterv1alpha1.Cluster, conn *connection, observed metav1.Condition) metav1.Condition {
	current := meta.FindStatusCondition(cluster.Status.Conditions, clusterv1alpha1.ClusterConditionReady)
	if conn == nil {
		c.mu.Lock()
		conn = c.known[cluster.Name]
		c.mu.Unlock()
		if conn == nil {
			return observed
		}
	}
	if current == nil || current.Status == observed.Status {
		conn.since = time.Time{}
		return observed
	}
	if conn.since.IsZero() {
		conn.since = time.Now()
	}
	threshold := or(c.FailureThreshold, 30*time.Second)
	if observed.Status == metav1.ConditionTrue {
		threshold = or(c.SuccessThreshold, 30*time.Second)
	}
	if time.Since(conn.since) < threshold {
		return *current
	}
	conn.since = time.Time{}
	return observed
}

// ensureMember connects the controllers to the cluster, if they are not.
func (c *Controller) ensureMember(ctx context.Context, name string, conn *connection) error {
	if member, err := c.Members.Get(name); err == nil && member == conn.member {
		return nil
	} else if err != nil && !errors.Is(err, members.ErrNotConnected) {
		return err
	}
	// The connection lasts longer than this round.
	member, err := c.Members.Connect(context.WithoutCancel(ctx), name, conn.config)
	if err != nil {
		return err
	}
	conn.member = member
	log.FromContext(ctx).Info("connected to the cluster", "cluster", name, "endpoint", conn.config.Host)
	c.Connected(name)
	return nil
}

// survey writes into the status what the cluster serves and has.
func survey(ctx context.Context, conn *connection, cluster *clusterv1alpha1.Cluster) error {
	version, err := conn.clients.Discovery().ServerVersion()
	if err != nil {
		return fmt.Errorf("ask for the version: %w", err)
	}
	cluster.Status.KubernetesVersion = version.GitVersion
	served, complete, err := enablements(conn.clients.Discovery())
	if err != nil {
		return err
	}
	cluster.Status.APIEnablements = served
	status, reason := metav1.ConditionTrue, "Complete"
	if !complete {
		status, reason = metav1.ConditionFalse, "Incomplete"
	}
	meta.SetStatusCondition(&cluster.Status.Conditions, metav1.Condition{
		Type: clusterv1alpha1.ClusterConditionCompleteAPIEnablements, Status: status, Reason: reason,
	})
	cluster.Status.NodeSummary, cluster.Status.ResourceSummary, err = resources(ctx, conn.clients)
	return err
}

// taint keeps new objects away from a cluster that is not ready.
func (c *Controller) taint(ctx context.Context, cluster *clusterv1alpha1.Cluster, ready metav1.ConditionStatus) error {
	is := func(t corev1.Taint) bool {
		return t.Key == clusterv1alpha1.TaintClusterNotReady && t.Effect == corev1.TaintEffectNoSchedule
	}
	tainted := slices.ContainsFunc(cluster.Spec.Taints, is)
	if tainted == (ready != metav1.ConditionTrue) {
		return nil
	}
	next := cluster.DeepCopy()
	if tainted {
		next.Spec.Taints = slices.DeleteFunc(next.Spec.Taints, is)
	} else {
		now := metav1.Now()
		next.Spec.Taints = append(next.Spec.Taints, corev1.Taint{
			Key: clusterv1alpha1.TaintClusterNotReady, Effect: corev1.TaintEffectNoSchedule, TimeAdded: &now,
		})
	}
	if err := c.Client.Update(ctx, next); err != nil {
		return fmt.Errorf("taint Cluster %s: %w", cluster.Name, err)
	}
	return nil
}

// withdraw deletes the Work of a cluster that leaves. Namespaces stay in the cluster, whoever made them: they may hold
// more than the federation put there.
func (c *Controller) withdraw(ctx context.Context, work *workv1alpha1.Work) error {
	if work.DeletionTimestamp != nil {
		return nil
	}
	key, keep := client.ObjectKeyFromObject(work), work.Spec.PreserveResourcesOnDeletion
	if _, bound := binding.KeyOf(work.Annotations); !bound && (keep == nil || !*keep) {
		work = work.DeepCopy()
		work.Spec.PreserveResourcesOnDeletion = new(true)
		err := c.Client.Update(ctx, work)
		if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
			return nil // it is looked at again soon
		}
		if err != nil {
			return fmt.Errorf("keep what Work %s put into its cluster: %w", key, err)
		}
	}
	if err := c.Client.Delete(ctx, work); err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete Work %s: %w", key, err)
	}
	return nil
}

// leave takes a cluster out of the federation: first its Works, which take their objects along, then their namespace.
// Meanwhile one that is ready is looked after as before: it may have to be connected first, or stop to answer and not be
// waited for.
func (c *Controller) leave(ctx context.Context, cached, cluster *clusterv1alpha1.Cluster) (reconcile.Result, error) {
	namespace := workv1alpha1.ExecutionNamespace(cluster.Name)
	var works workv1alpha1.WorkList
	if err := c.Client.List(ctx, &works, client.InNamespace(namespace)); err != nil {
		return reconcile.Result{}, fmt.Errorf("list the Works of Cluster %s: %w", cluster.Name, err)
	}
	if len(works.Items) > 0 {
		for i := range works.Items {
			if err := c.withdraw(ctx, &works.Items[i]); err != nil {
				return reconcile.Result{}, err
			}
		}
		ready := meta.IsStatusConditionTrue(cluster.Status.Conditions, clusterv1alpha1.ClusterConditionReady)
		if ready && cluster.Spec.SyncMode != clusterv1alpha1.Pull {
			if err := c.report(ctx, cached, cluster); err != nil {
				return reconcile.Result{}, err
			}
		}
		return reconcile.Result{RequeueAfter: time.Second}, nil
	}
	err := c.Client.Delete(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}})
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		return reconcile.Result{}, fmt.Errorf("delete namespace %s: %w", namespace, err)
	}
	c.disconnect(cluster.Name)
	if controllerutil.RemoveFinalizer(cluster, clusterv1alpha1.ClusterControllerFinalizer) {
		if err := c.Client.Update(ctx, cluster); err != nil && !apierrors.IsNotFound(err) {
			return reconcile.Result{}, fmt.Errorf("release Cluster %s: %w", cluster.Name, err)
		}
	}
	return reconcile.Result{}, nil
}
