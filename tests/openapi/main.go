// Command openapi writes the snapshot of package openapi: it starts an API server and reduces what that says of its kinds.
//
//	go run ./tests/openapi -to openapi/kubernetes.json.gz
package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"slices"

	"k8s.io/client-go/discovery"

	"github.com/dragoman-io/dragoman/clusters"
)

func main() {
	to := flag.String("to", "openapi/kubernetes.json.gz", "the file to write")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	if err := write(ctx, *to); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1) //nolint:gocritic // the process is gone, and its signals with it
	}
}

// write takes a snapshot of a new API server.
func write(ctx context.Context, path string) (err error) {
	federation, err := clusters.Start(ctx, clusters.Options{Members: -1, APIServersOnly: true, Out: os.Stderr})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, federation.Stop()) }()
	client, err := discovery.NewDiscoveryClientForConfig(federation.Cluster(clusters.ControlPlane).Config())
	if err != nil {
		return err
	}
	version, err := client.ServerVersion()
	if err != nil {
		return err
	}
	groups, err := client.OpenAPIV3().Paths()
	if err != nil {
		return err
	}
	documents := make([][]byte, 0, len(groups))
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		document, err := groups[name].Schema("application/json")
		if err != nil {
			return fmt.Errorf("OpenAPI of %s: %w", name, err)
		}
		documents = append(documents, document)
	}
	file, err := reduce(version.GitVersion, documents)
	if err != nil {
		return err
	}
	packed, err := pack(file)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%s: %d kinds of Kubernetes %s, %d bytes\n", path, len(file.Kinds), file.Version, len(packed))
	return os.WriteFile(path, packed, 0o600)
}

// pack encodes a file; the same file gives the same bytes.
func pack(file any) ([]byte, error) {
	var out bytes.Buffer
	packer, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if err := json.NewEncoder(packer).Encode(file); err != nil {
		return nil, err
	}
	if err := packer.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
