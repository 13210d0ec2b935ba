package argocd_test

import (
	"fmt"
	"testing/fstest"

	"github.com/dragoman-io/dragoman/imports/argocd"
)

// A check becomes a customization whose script has the check's own inside.
func ExampleRead() {
	checks, err := argocd.Read(fstest.MapFS{
		"example.com/Widget/health.lua": {Data: []byte(`return {status = "Healthy", message = obj.metadata.name}`)},
	}, argocd.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, check := range checks.Checks {
		fmt.Println(check.Name, check.Cases)
	}
	// Output: widget.example.com 0
}
