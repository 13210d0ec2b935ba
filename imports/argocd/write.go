package argocd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Write writes each check into <dir>/<Folder>: customizations.yaml, and cases.yaml when it has cases. Folders are made as
// they are needed, and files with these names are replaced only with overwrite; otherwise one that exists is an error, and
// nothing is written.
func (c *Checks) Write(dir string, overwrite bool) error {
	type file struct {
		name string
		data []byte
	}
	var files []file
	for _, check := range c.Checks {
		folder := filepath.Join(dir, filepath.FromSlash(check.Folder))
		files = append(files, file{filepath.Join(folder, customizationsFile), check.Customization})
		if check.Suite != nil {
			files = append(files, file{filepath.Join(folder, suiteFile), check.Suite})
		}
	}
	for _, f := range files {
		if _, err := os.Lstat(f.name); !overwrite && !errors.Is(err, fs.ErrNotExist) {
			if err == nil {
				err = fs.ErrExist
			}
			return fmt.Errorf("%s: %w", f.name, cause(err))
		}
	}
	for _, f := range files {
		if err := os.MkdirAll(filepath.Dir(f.name), 0o755); err != nil { //nolint:gosec // for everyone to read, as sources are
			return err
		}
		if err := os.WriteFile(f.name, f.data, 0o644); err != nil { //nolint:gosec // likewise
			return err
		}
	}
	return nil
}
