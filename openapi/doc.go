// Package openapi holds the schemas of Kubernetes' own kinds: what an API server says of them in its OpenAPI document,
// reduced to what fields there are, what values they take, and which ones stored objects always have (a default).
//
//	snapshot, err := openapi.Load()
//	if err != nil {
//		return err
//	}
//	deployment := snapshot.Schema(schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"})
//
// The snapshot is a file inside the binary, taken from a real API server by `make update` (tests/openapi writes it). Nothing of it is
// read before Load is called.
package openapi
