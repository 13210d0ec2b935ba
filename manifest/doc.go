// Package manifest reads files of YAML or JSON documents as Kubernetes reads them, and knows where in the file each field
// stands, so that an error can name the file, the line and the field.
package manifest
