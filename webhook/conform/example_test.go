package conform_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/webhook"
	"github.com/dragoman-io/dragoman/webhook/conform"
)

// An operator's author checks a webhook in a test.
func Example() {
	allWell := interpreter.Func(func(_ schema.GroupVersionKind, op interpreter.Operation) interpreter.Rule {
		if op != interpreter.InterpretHealth {
			return nil
		}
		return func(context.Context, *interpreter.Request) (*interpreter.Response, error) {
			return &interpreter.Response{Health: interpreter.HealthOf(true)}, nil
		}
	})
	server := httptest.NewServer(webhook.Handler(allWell))
	defer server.Close()

	report, err := conform.Run(context.Background(), server.URL, conform.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Failed(), "failed,", report.Count(conform.Skipped), "skipped")
	// Output: 0 failed, 17 skipped
}
