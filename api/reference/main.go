// Reference writes a page of Markdown for each group and version of the API from the Go sources: kinds, types, fields,
// and what the markers say about them.
//
//	go run ./api/reference -to docs/api ./api/*/v*
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "reference:", err)
		os.Exit(1)
	}
}

// run writes the pages of the packages in the folders that args name, and removes other pages.
func run(args []string, stderr io.Writer) error {
	flags := flag.NewFlagSet("reference", flag.ContinueOnError)
	flags.SetOutput(stderr)
	to := flags.String("to", "", "the folder to write to")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *to == "" || flags.NArg() == 0 {
		return errors.New("want -to and the folders of the packages")
	}
	packages := make([]*apiPackage, flags.NArg())
	for i, folder := range flags.Args() {
		var err error
		if packages[i], err = parsePackage(folder); err != nil {
			return err
		}
	}
	slices.SortFunc(packages, func(a, b *apiPackage) int { return strings.Compare(a.groupVersion(), b.groupVersion()) })

	pages := map[string][]byte{"README.md": index(packages)}
	for _, p := range packages {
		pages[p.pageName()] = page(p, packages)
	}
	return replacePages(*to, pages)
}

// index returns the page that lists all others.
func index(packages []*apiPackage) []byte {
	var out bytes.Buffer
	out.WriteString("# API reference\n\nGenerated from the Go types in `api/` by `make generate`.\n\n")
	for _, p := range packages {
		fmt.Fprintf(&out, "- [%s](%s)\n", p.groupVersion(), p.pageName())
		for _, t := range p.types {
			if t.isKind() {
				fmt.Fprintf(&out, "  - [%s](%s%s)\n", t.name, p.pageName(), anchor(t.name))
			}
		}
	}
	return out.Bytes()
}

// replacePages makes pages the only pages in folder.
func replacePages(folder string, pages map[string][]byte) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	present, err := filepath.Glob(filepath.Join(folder, "*.md"))
	if err != nil {
		return err
	}
	for _, path := range present {
		if _, ok := pages[filepath.Base(path)]; !ok {
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	for name, content := range pages {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o644); err != nil { //nolint:gosec // read by all
			return err
		}
	}
	return nil
}
