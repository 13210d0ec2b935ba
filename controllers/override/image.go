package override

import (
	"fmt"
	"strings"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
)

// Image is the parts of an image's name: registry/repository:tag@digest.
type Image struct {
	// Registry is the host, perhaps with a port; empty for the default one.
	Registry string
	// Repository is the path.
	Repository string
	// Tag and Digest are what is behind it; either may be empty.
	Tag, Digest string
}

// ParseImage splits the name of an image. The first segment is a registry when it has a dot or a colon, or is
// localhost, as Docker decides.
func ParseImage(name string) (Image, error) {
	var i Image
	rest, digest, _ := strings.Cut(name, "@")
	i.Digest = digest
	if first, path, ok := strings.Cut(rest, "/"); ok && (strings.ContainsAny(first, ".:") || first == "localhost") {
		i.Registry, rest = first, path
	}
	i.Repository = rest
	if colon := strings.LastIndexByte(rest, ':'); colon >= 0 {
		i.Repository, i.Tag = rest[:colon], rest[colon+1:]
	}
	if i.Repository == "" || strings.ContainsAny(name, " \t\n") {
		return Image{}, fmt.Errorf("want the name of an image, got %q", name)
	}
	return i, nil
}

// String returns the name.
func (i Image) String() string {
	var b strings.Builder
	if i.Registry != "" {
		b.WriteString(i.Registry + "/")
	}
	b.WriteString(i.Repository)
	if i.Tag != "" {
		b.WriteString(":" + i.Tag)
	}
	if i.Digest != "" {
		b.WriteString("@" + i.Digest)
	}
	return b.String()
}

// override returns i with one part changed.
func (i Image) override(o *policyv1alpha1.ImageOverrider) (Image, error) {
	var part *string
	switch o.Component {
	case policyv1alpha1.ImageRegistry:
		part = &i.Registry
	case policyv1alpha1.ImageRepository:
		part = &i.Repository
	case policyv1alpha1.ImageTag:
		part = &i.Tag
		if i.Digest != "" {
			part = &i.Digest
		}
	default:
		return i, fmt.Errorf("component: want Registry, Repository or Tag, got %q", o.Component)
	}
	switch o.Operator {
	case policyv1alpha1.OverriderOpAdd:
		*part += o.Value
	case policyv1alpha1.OverriderOpReplace:
		*part = o.Value
	case policyv1alpha1.OverriderOpRemove:
		*part = ""
	default:
		return i, fmt.Errorf("operator: want add, replace or remove, got %q", o.Operator)
	}
	// A tag that takes the place of a digest, or the other way round, is put where it belongs.
	if o.Component == policyv1alpha1.ImageTag {
		value := *part
		i.Tag, i.Digest = "", ""
		if strings.Contains(value, ":") {
			i.Digest = value
		} else {
			i.Tag = value
		}
	}
	return i, nil
}

// image changes one part of the images that o means.
func (t *target) image(o *policyv1alpha1.ImageOverrider) error {
	if o.Predicate != nil {
		return t.editText(o.Predicate.Path, func(name string) (string, error) { return overrideImage(name, o) })
	}
	containers, paths, err := t.containers()
	if err != nil {
		return err
	}
	for i, c := range containers {
		name, ok := c["image"].(string)
		if !ok {
			continue
		}
		changed, err := overrideImage(name, o)
		if err != nil {
			return fmt.Errorf("%s/image: %w", paths[i], err)
		}
		c["image"] = changed
	}
	return nil
}

func overrideImage(name string, o *policyv1alpha1.ImageOverrider) (string, error) {
	image, err := ParseImage(name)
	if err != nil {
		return "", err
	}
	if image, err = image.override(o); err != nil {
		return "", err
	}
	return image.String(), nil
}
