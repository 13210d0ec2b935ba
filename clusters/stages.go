package clusters

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"

	"github.com/dragoman-io/dragoman/manifest"
)

// OutcomeAnnotation changes what becomes of a simulated object: see the stages folder. On a Pod template it decides about the
// Pods, on a custom resource about the object itself.
const OutcomeAnnotation = "stage.dragoman.io/outcome"

// The values of OutcomeAnnotation.
const (
	OutcomePending = "pending" // it never gets ready
	OutcomeFailed  = "failed"  // it fails
)

//go:embed stages/*.yaml
var stageFiles embed.FS

// stages are the embedded Stage objects.
type stages struct {
	definition *unstructured.Unstructured
	builtin    []*unstructured.Unstructured                             // for kinds that every API server has
	custom     map[schema.GroupVersionKind][]*unstructured.Unstructured // for kinds that come with a CustomResourceDefinition
}

// loadStages reads the embedded files.
func loadStages() (*stages, error) {
	s := &stages{custom: map[schema.GroupVersionKind][]*unstructured.Unstructured{}}
	files, err := fs.Glob(stageFiles, "stages/*.yaml")
	if err != nil {
		return nil, fmt.Errorf("load stages: %w", err)
	}
	var objects []manifest.Object
	for _, file := range files {
		data, err := stageFiles.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("load stages: %w", err)
		}
		found, err := manifest.Objects(file, data)
		if err != nil {
			return nil, fmt.Errorf("load stages: %w", err)
		}
		objects = append(objects, found...)
	}
	for _, object := range objects {
		object := object.Unstructured
		if IsDefinition(object) {
			s.definition = object
			continue
		}
		gvk, err := played(object)
		if err != nil {
			return nil, fmt.Errorf("load stages: %s: %w", object.GetName(), err)
		}
		// The groups of custom resources have a dot that does not belong to Kubernetes itself.
		if !strings.Contains(gvk.Group, ".") || strings.HasSuffix(gvk.Group, ".k8s.io") {
			s.builtin = append(s.builtin, object)
		} else {
			s.custom[gvk] = append(s.custom[gvk], object)
		}
	}
	if s.definition == nil {
		return nil, errors.New("load stages: the definition of Stage is missing")
	}
	return s, nil
}

// played returns the kind that a Stage is for.
func played(stage *unstructured.Unstructured) (schema.GroupVersionKind, error) {
	group, _, _ := unstructured.NestedString(stage.Object, "spec", "resourceRef", "apiGroup")
	kind, _, _ := unstructured.NestedString(stage.Object, "spec", "resourceRef", "kind")
	gv, err := schema.ParseGroupVersion(group)
	if err != nil || kind == "" || gv.Version == "" {
		return schema.GroupVersionKind{}, fmt.Errorf("spec.resourceRef: want apiGroup and kind, got %q and %q", group, kind)
	}
	return gv.WithKind(kind), nil
}

// install gives KWOK the stages for built-in kinds.
func (s *stages) install(ctx context.Context, c *Cluster) error {
	if err := c.Apply(ctx, "", s.definition); err != nil {
		return err
	}
	return c.Apply(ctx, "", s.builtin...)
}

// follow watches the CustomResourceDefinitions of a cluster until ctx ends. When one is served, KWOK gets our stages for its kind. KWOK
// looks for a kind only when some Stage changes; so each definition touches one, which helps stages that users applied before it.
func (s *stages) follow(ctx context.Context, c *Cluster, report func(error)) {
	appeared := make(chan string, 1000)
	informers := dynamicinformer.NewDynamicSharedInformerFactory(c.dynamic, 0)
	informer := informers.ForResource(definitionResource).Informer()
	enqueue := func(object any) {
		if definition, ok := object.(*unstructured.Unstructured); ok && established(definition) {
			select {
			case appeared <- definition.GetName():
			case <-ctx.Done(): // nobody takes it, and Stop waits for this
			}
		}
	}
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: enqueue,
		UpdateFunc: func(before, after any) {
			if definition, ok := before.(*unstructured.Unstructured); ok && established(definition) {
				return
			}
			enqueue(after)
		},
	})
	if err == nil {
		// The API server is restarted now and then: the informer connects again by itself, and that is no news.
		err = informer.SetWatchErrorHandlerWithContext(func(context.Context, *cache.Reflector, error) {})
	}
	if err != nil {
		report(fmt.Errorf("watch the definitions of %s: %w", c.Name, err))
		return
	}
	informers.Start(ctx.Done())
	for {
		select {
		case <-ctx.Done():
			informers.Shutdown()
			return
		case name := <-appeared:
			if name == s.definition.GetName() {
				continue
			}
			if err := s.play(ctx, c, name); err != nil && ctx.Err() == nil {
				report(fmt.Errorf("play the operator of %s in %s: %w", name, c.Name, err))
			}
		}
	}
}

// play waits until the definition's kinds are served and described (KWOK reads the OpenAPI document), then applies their stages.
func (s *stages) play(ctx context.Context, c *Cluster, name string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	var definition *unstructured.Unstructured
	err := poll(ctx, func(ctx context.Context) (err error) {
		definition, err = c.dynamic.Resource(definitionResource).Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			definition = nil
			return nil
		}
		if err != nil {
			return err
		}
		return c.served(ctx, name)
	})
	if err != nil || definition == nil { // one that went again has nobody to play, and others wait
		return err
	}
	group, _, _ := unstructured.NestedString(definition.Object, "spec", "group")
	kind, _, _ := unstructured.NestedString(definition.Object, "spec", "names", "kind")
	plural, _, _ := unstructured.NestedString(definition.Object, "spec", "names", "plural")
	var wanted []*unstructured.Unstructured
	for _, version := range servedVersions(definition) {
		wanted = append(wanted, s.custom[schema.GroupVersionKind{Group: group, Version: version, Kind: kind}]...)
		if err := poll(ctx, func(ctx context.Context) error { return c.described(ctx, group, version, plural) }); err != nil {
			return err
		}
	}
	if len(wanted) == 0 {
		i := slices.IndexFunc(s.builtin, func(o *unstructured.Unstructured) bool { return o.GetName() == "node-ready" })
		wanted = s.builtin[i : i+1]
	}
	for _, stage := range wanted {
		touched := stage.DeepCopy()
		touched.SetAnnotations(map[string]string{"stage.dragoman.io/definition": name + "/" + strconv.FormatInt(definition.GetGeneration(), 10)})
		if err := c.Apply(ctx, "", touched); err != nil {
			return err
		}
	}
	return nil
}

// described tells whether the OpenAPI document of a group version has the resource.
func (c *Cluster) described(ctx context.Context, group, version, plural string) error {
	data, err := c.discovery.RESTClient().Get().AbsPath("/openapi/v3/apis/" + group + "/" + version).DoRaw(ctx)
	if err != nil {
		return err
	}
	if !strings.Contains(string(data), "/"+plural+"/{name}") {
		return fmt.Errorf("the OpenAPI document of %s/%s has no %s yet", group, version, plural)
	}
	return nil
}
