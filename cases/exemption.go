package cases

import (
	"maps"
	"slices"
	"strings"

	"github.com/dragoman-io/dragoman/manifest"
)

// decodeExemptions returns the laws that value, the field exempt, switches off, with the reason for each. fail is called
// for what is wrong with it.
func decodeExemptions(value any, fail func(field manifest.Path, format string, args ...any)) map[string]string {
	const field = "exempt"
	fields, ok := value.(map[string]any)
	if !ok {
		fail(manifest.Path{field}, "exempt: want laws and why they do not hold, got %s", manifest.Describe(value))
		return nil
	}
	out := make(map[string]string, len(fields))
	for _, law := range slices.Sorted(maps.Keys(fields)) {
		reason, ok := fields[law].(string)
		if !ok || strings.TrimSpace(reason) == "" {
			fail(manifest.Path{field, law}, "exempt.%s: want why the law does not hold, got %s", law, manifest.Describe(fields[law]))
			continue
		}
		out[law] = reason
	}
	return out
}

// exempt adds exemptions to those of the case; its own count more.
func (c *Case) exempt(shared map[string]string) {
	if len(shared) == 0 {
		return
	}
	merged := maps.Clone(shared)
	maps.Copy(merged, c.Exempt)
	c.Exempt = merged
}
