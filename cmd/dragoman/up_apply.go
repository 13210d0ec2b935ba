package main

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/clusters"
	"github.com/dragoman-io/dragoman/manifest"
)

// destined is an object that is applied when the federation is ready.
type destined struct {
	manifest.Object
	// folder says which cluster it is for: the name of one, or everyMember; empty when that follows from its kind.
	folder string
}

// everyMember is the name of a folder whose objects are for each member.
const everyMember = "members"

// readObjects reads the objects of --apply.
func (o *upOptions) readObjects(ctx context.Context) ([]destined, error) {
	read := reader{stdin: o.In, recursive: true}
	var all []destined
	var errs []error
	for _, name := range o.apply {
		files, err := read.read(ctx, name)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			folder, err := o.destination(name, f)
			errs = append(errs, err)
			found, err := manifest.Objects(f.name, f.data)
			errs = append(errs, err)
			for _, object := range found {
				all = append(all, destined{object, folder})
			}
		}
	}
	return all, unusable(errors.Join(errs...))
}

// destination returns the innermost folder in the path of a file that says which cluster it is for: the folder that was given, the one of
// a file that was given, or one below. Those above have names for other reasons.
func (o *upOptions) destination(given string, f file) (string, error) {
	if strings.Contains(given, "://") {
		return "", nil
	}
	above := filepath.Dir(filepath.Clean(given))
	if !f.found {
		above = filepath.Dir(above)
	}
	below, err := filepath.Rel(above, filepath.Dir(f.name))
	if err != nil {
		return "", err
	}
	for _, folder := range slices.Backward(strings.Split(filepath.ToSlash(below), "/")) {
		if folder == clusters.ControlPlane || folder == everyMember {
			return folder, nil
		}
		digits, isMember := strings.CutPrefix(folder, "member")
		number, err := strconv.Atoi(digits)
		if !isMember || err != nil {
			continue
		}
		if members := max(0, o.federation.Members); number < 1 || number > members {
			return "", unusablef("%s: want a folder of one of %s, got %s", f.name, counted(members, "member"), folder)
		}
		return folder, nil
	}
	return "", nil
}

// applyObjects applies each object to the clusters that it is for. Namespaces that objects name are created.
func applyObjects(ctx context.Context, federation *clusters.Federation, objects []destined) error {
	all := append(federation.Members(), federation.ControlPlane())
	wanted := map[*clusters.Cluster][]*unstructured.Unstructured{}
	for _, object := range objects {
		to := []*clusters.Cluster{federation.ControlPlane()}
		switch {
		case object.folder == everyMember:
			to = federation.Members()
		case object.folder != "":
			to = []*clusters.Cluster{federation.Cluster(object.folder)}
		case clusters.IsDefinition(object.Unstructured):
			to = all
		}
		for _, c := range to {
			wanted[c] = append(wanted[c], object.Unstructured)
			if namespace := object.GetNamespace(); namespace != "" {
				wanted[c] = append(wanted[c], clusters.Namespace(namespace))
			}
		}
	}
	for _, c := range all {
		if err := c.Apply(ctx, "", wanted[c]...); err != nil {
			return exit(exitFailed, err)
		}
	}
	return nil
}
