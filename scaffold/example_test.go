package scaffold_test

import (
	"fmt"
	"os"

	"github.com/dragoman-io/dragoman/scaffold"
)

// A definition becomes three files.
func ExampleRead() {
	data, err := os.ReadFile("testdata/license/crd.yaml")
	if err != nil {
		fmt.Println(err)
		return
	}
	kind, err := scaffold.Read("crd.yaml", data, "")
	if err != nil {
		fmt.Println(err)
		return
	}
	files, err := kind.Files("crd.yaml")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(kind.Name())
	for _, f := range files {
		fmt.Println(f.Name)
	}
	// Output:
	// licenses.example.com
	// customizations.yaml
	// cases.yaml
	// Makefile
}
