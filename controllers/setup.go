package controllers

import (
	"context"
	"fmt"
	"regexp"
	"sync/atomic"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/aggregation"
	"github.com/dragoman-io/dragoman/controllers/binding"
	"github.com/dragoman-io/dragoman/controllers/cluster"
	"github.com/dragoman-io/dragoman/controllers/dependencies"
	"github.com/dragoman-io/dragoman/controllers/detector"
	"github.com/dragoman-io/dragoman/controllers/members"
	"github.com/dragoman-io/dragoman/controllers/namespace"
	"github.com/dragoman-io/dragoman/controllers/queue"
	"github.com/dragoman-io/dragoman/controllers/rules"
	"github.com/dragoman-io/dragoman/controllers/scheduler"
	"github.com/dragoman-io/dragoman/controllers/templates"
	"github.com/dragoman-io/dragoman/controllers/work"
	"github.com/dragoman-io/dragoman/interpreter"
)

// Scheme returns a scheme that knows every kind the controllers read or write, but for those of templates.
func Scheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientgoscheme.AddToScheme, apiextensionsv1.AddToScheme, admissionregistrationv1.AddToScheme,
		clusterv1alpha1.AddToScheme, configv1alpha1.AddToScheme, policyv1alpha1.AddToScheme,
		workv1alpha1.AddToScheme, workv1alpha2.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	return scheme, nil
}

// Tune makes o and config what the controllers rely on: objects of the cache are shared, and never modified; fields
// that only servers look at are not kept; the control plane's own priority and fairness limits requests.
func Tune(config *rest.Config, o ctrl.Options) (*rest.Config, ctrl.Options) {
	config = rest.CopyConfig(config)
	config.QPS, config.Burst = -1, -1
	o.Cache.DefaultUnsafeDisableDeepCopy = new(true)
	o.Cache.DefaultTransform = cache.TransformStripManagedFields()
	return config, o
}

// Options are what the controllers are told by their user.
type Options struct {
	// Rules are the live rules. Nothing is done before they are loaded. Required.
	Rules *rules.Rules
	// Interpreter is the whole chain, Rules included. Required.
	Interpreter interpreter.Interpreter
	// SkippedNamespaces match the namespaces whose objects are never propagated. Nil means those that begin with "kube-".
	SkippedNamespaces []*regexp.Regexp
	// ClusterPeriod is how often clusters are looked at, ClusterFailureThreshold and ClusterSuccessThreshold how long one
	// has to fail, or answer, before its condition Ready follows. Zero means 10 s, 30 s and 30 s.
	ClusterPeriod, ClusterFailureThreshold, ClusterSuccessThreshold time.Duration
	// StatusInterval is the least time between two writes of a Work's status that nobody waits for. Zero means 500 ms.
	StatusInterval time.Duration
}

// federation is the assembled controllers.
type federation struct {
	mgr       ctrl.Manager
	options   Options
	templates *templates.Templates
	members   *members.Members

	detector     *detector.Detector
	scheduler    *scheduler.Scheduler
	binding      *binding.Controller
	work         *work.Controller
	aggregation  *aggregation.Controller
	dependencies *dependencies.Controller
	namespace    *namespace.Controller
	cluster      *cluster.Controller
	changedRules queue.Queue[schema.GroupVersionKind]
	// definitionsChanged is when a CustomResourceDefinition came or changed last, in nanoseconds since 1970.
	definitionsChanged atomic.Int64
}

// Setup adds the controllers to mgr, which has Scheme and was made with Tune. It returns the members that they connect.
func Setup(ctx context.Context, mgr ctrl.Manager, o Options) (*members.Members, error) {
	if o.SkippedNamespaces == nil {
		o.SkippedNamespaces = []*regexp.Regexp{regexp.MustCompile("^kube-")}
	}
	d, err := discovery.NewDiscoveryClientForConfigAndClient(mgr.GetConfig(), mgr.GetHTTPClient())
	if err != nil {
		return nil, err
	}
	if err := index(ctx, mgr.GetFieldIndexer()); err != nil {
		return nil, err
	}

	f := &federation{mgr: mgr, options: o, templates: templates.New(mgr.GetCache(), mgr.GetAPIReader(), mgr.GetRESTMapper(), d)}
	f.members = members.New(func(_ string, object *unstructured.Unstructured) {
		if key, ok := work.KeyOf(object); ok {
			f.work.Queue.AddLow(key) // what users change comes before what members report
		}
	}, f.worksOf)
	c, event, ask := mgr.GetClient(), f.event(ctx), interpreter.Client{Interpreter: o.Interpreter}
	f.scheduler = &scheduler.Scheduler{Client: c, Event: event, Recorded: func(key scheduler.Key) { f.aggregation.Queue.Add(key) }}
	f.detector = &detector.Detector{
		Client: c, Live: mgr.GetAPIReader(), Templates: f.templates, Interpreter: ask, Scheduler: f.scheduler, Event: event,
		SkippedNamespaces: o.SkippedNamespaces,
	}
	f.binding = &binding.Controller{Client: c, Templates: f.templates, Interpreter: ask, Scheduler: f.scheduler, Event: event}
	f.work = &work.Controller{Client: c, Members: f.members, Interpreter: ask, Event: event, StatusInterval: o.StatusInterval}
	f.aggregation = &aggregation.Controller{Client: c, Templates: f.templates, Interpreter: ask, Scheduler: f.scheduler, Event: event}
	f.dependencies = &dependencies.Controller{Client: c, Templates: f.templates, Interpreter: ask, Event: event}
	f.namespace = &namespace.Controller{Client: c, Propagates: f.detector.Propagates}
	f.cluster = &cluster.Controller{
		Client: c, Live: mgr.GetAPIReader(), Members: f.members, Event: event, Connected: f.worksOf,
		Period: o.ClusterPeriod, FailureThreshold: o.ClusterFailureThreshold, SuccessThreshold: o.ClusterSuccessThreshold,
	}
	f.templates.OnChange(f.templateChanged)
	return f.members, f.watch()
}

// index has the cache keep what controllers look up otherwise than by name.
func index(ctx context.Context, indexer client.FieldIndexer) error {
	if err := indexer.IndexField(ctx, &workv1alpha1.Work{}, binding.Index, func(o client.Object) []string {
		key, ok := binding.KeyOf(o.GetAnnotations())
		if !ok {
			return nil
		}
		return []string{binding.IndexKey(key)}
	}); err != nil {
		return fmt.Errorf("index Works by their binding: %w", err)
	}
	for _, kind := range []client.Object{&workv1alpha2.ResourceBinding{}, &workv1alpha2.ClusterResourceBinding{}} {
		if err := indexer.IndexField(ctx, kind, dependencies.Index, func(o client.Object) []string {
			b, ok := o.(workv1alpha2.Binding)
			if !ok {
				return nil
			}
			return dependencies.IndexKeys(b)
		}); err != nil {
			return fmt.Errorf("index bindings by those that require them: %w", err)
		}
	}
	return nil
}

// event returns the function by which controllers tell users: events of a binding are told of its object, and warnings
// that an earlier process told are not told again. The recorder is that of the older API, which knows no action: to the
// newer one's, what has the same reason and action is one series of events, of which it tells the first note whatever
// comes after.
func (f *federation) event(ctx context.Context) func(client.Object, bool, string, string) {
	recorder := f.mgr.GetEventRecorderFor(eventSource) //nolint:staticcheck // see above
	told := &told{reader: f.mgr.GetAPIReader()}
	return func(regarding client.Object, warning bool, reason, note string) {
		if b, ok := regarding.(workv1alpha2.Binding); ok {
			regarding = objectOf(b)
		}
		kind := corev1.EventTypeNormal
		if warning {
			kind = corev1.EventTypeWarning
		}
		const most = 1000 // the API allows 1024 bytes
		if len(note) > most {
			note = note[:most] + "..."
		}
		if warning && told.before(ctx, regarding, reason, note) {
			return
		}
		recorder.Event(regarding, kind, reason, note)
	}
}

// objectOf returns a stand-in for a binding's object, which says who it is.
func objectOf(b workv1alpha2.Binding) client.Object {
	r := b.BindingSpec().Resource
	object := &metav1.PartialObjectMetadata{
		ObjectMeta: metav1.ObjectMeta{Namespace: r.Namespace, Name: r.Name, UID: r.UID},
	}
	object.SetGroupVersionKind(schema.FromAPIVersionAndKind(r.APIVersion, r.Kind))
	return object
}

// templateChanged is called when an object of a watched kind appears, changes or goes.
func (f *federation) templateChanged(key templates.Key) {
	f.detector.Queue.Add(key)
	b := bindingOf(key)
	f.binding.Queue.Add(b)
	f.aggregation.Queue.Add(b)
	f.dependencies.Queue.Add(b)
	f.dependencies.Queue.Add(f.dependencies.Dependents(key, nil)...)
}

// bindingOf returns the key of the binding of an object.
func bindingOf(key templates.Key) scheduler.Key {
	return types.NamespacedName{Namespace: key.Namespace, Name: workv1alpha2.BindingName(key.Kind.Kind, key.Name)}
}
