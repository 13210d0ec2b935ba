package manifest

import (
	"os"
	"path/filepath"
	"slices"
)

// IsFile tells whether what was found in a folder is a file of documents: one whose name ends in .yaml, .yml or .json, and
// that is a regular file or a link to one. Whoever reads a pipe waits until somebody writes. A link that leads nowhere is
// one, so that reading it says so.
func IsFile(name string) bool {
	if !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(name)) {
		return false
	}
	info, err := os.Stat(name)
	return err != nil || info.Mode().IsRegular()
}
