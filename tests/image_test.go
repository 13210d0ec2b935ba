package tests

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestImage holds the Dockerfile against what the chart runs. `make image` builds it.
func TestImage(t *testing.T) {
	read := func(file string) string {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		return string(data)
	}
	found := func(text, pattern string) string {
		match := regexp.MustCompile(pattern).FindStringSubmatch(text)
		require.NotNil(t, match, pattern)
		return match[1]
	}
	image, deployment := read("../Dockerfile"), read("../deploy/base/dragoman.yaml")
	assert.Equal(t, found(read("../go.mod"), `(?m)^go (\d+\.\d+)`), found(image, `golang:(\d+\.\d+) `), "the language's version")
	assert.Contains(t, image, "CGO_ENABLED=0 go build", "scratch has no C library")
	assert.Contains(t, image, "\nFROM scratch\n")
	assert.Contains(t, image, "/etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/", "collectors of traces and webhooks have certificates of public authorities")
	user := found(deployment, `runAsUser: (\d+)`)
	assert.Equal(t, user+":"+found(deployment, `runAsGroup: (\d+)`), found(image, `(?m)^USER (.+)$`), "Pods run as the image's user")
	assert.NotContains(t, deployment, "command:", "the chart leaves it to the image")
	assert.Contains(t, image, `ENTRYPOINT ["/dragoman"]`)
	for line := range strings.Lines(image) {
		if name, ok := strings.CutPrefix(line, "FROM "); ok {
			assert.NotRegexp(t, `\.[a-z]+/`, name, "images go by their common names")
		}
	}
}
