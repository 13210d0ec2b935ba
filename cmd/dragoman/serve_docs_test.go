package main

import (
	"bufio"
	"crypto/x509"
	"encoding/pem"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/dragoman-io/dragoman/webhook"
)

// TestBesideKarmada runs the commands of docs/beside-karmada.md in an empty folder.
func TestBesideKarmada(t *testing.T) {
	bin := t.TempDir()
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(bin, "dragoman"), ".").CombinedOutput()
	require.NoError(t, err, "%s", out)
	commands := shellBlocks(t, "../../docs/beside-karmada.md")
	require.Len(t, commands, 3)

	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	script := "set -euo pipefail\ntrap 'kill $(jobs -p)' EXIT\n" +
		strings.ReplaceAll(strings.Join(commands, ""), "127.0.0.1:9443", listener.Addr().String())
	bash := exec.CommandContext(t.Context(), "bash", "-c", script)
	bash.Dir = t.TempDir()
	bash.Env = append(bash.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
	bash.WaitDelay = 10 * time.Second // for what it left behind
	out, err = bash.CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, want := range []string{"0 errors, 0 warnings", "# [1/2] replica:\n3\n", " 0 failed, 0 warned, "} {
		assert.Contains(t, string(out), want)
	}
}

// TestBesideKarmadaInACluster reads the manifests of docs/beside-karmada.md as strictly as an API server, and serves with the
// arguments of their container, from volumes as the kubelet mounts them.
func TestBesideKarmadaInACluster(t *testing.T) {
	data, err := os.ReadFile("../../examples/beside-karmada/dragoman.yaml")
	require.NoError(t, err)
	var deployment appsv1.Deployment
	var service corev1.Service
	for document := range strings.SplitSeq(string(data), "\n---\n") {
		switch {
		case strings.Contains(document, "\nkind: Deployment\n"):
			require.NoError(t, yaml.UnmarshalStrict([]byte(document), &deployment))
		case strings.Contains(document, "\nkind: Service\n"):
			require.NoError(t, yaml.UnmarshalStrict([]byte(document), &service))
		}
	}
	assert.Equal(t, deployment.Spec.Selector.MatchLabels, service.Spec.Selector)
	assert.Equal(t, deployment.Spec.Selector.MatchLabels, deployment.Spec.Template.Labels)
	container := deployment.Spec.Template.Spec.Containers[0]
	assert.EqualValues(t, service.Spec.Ports[0].TargetPort.IntValue(), container.Ports[0].ContainerPort)

	own, bundle, err := webhook.SelfSigned([]string{"127.0.0.1"}, time.Hour)
	require.NoError(t, err)
	key, err := x509.MarshalPKCS8PrivateKey(own.PrivateKey)
	require.NoError(t, err)
	volumes := t.TempDir()
	mount := func(name, file string, data []byte) {
		dir := filepath.Join(volumes, name)
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "..2026"), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "..2026", file), data, 0o600))
		_ = os.Symlink("..2026", filepath.Join(dir, "..data")) // it is there for the second file
		require.NoError(t, os.Symlink(filepath.Join("..data", file), filepath.Join(dir, file)))
	}
	mount("tls", "tls.crt", bundle)
	mount("tls", "tls.key", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}))
	mount("rules", "customizations.yaml", []byte(strings.ReplaceAll(suffix, "*.example.com/*", "example.com/v1")))
	require.Equal(t, "serve", container.Args[0])
	args := slices.DeleteFunc(slices.Clone(container.Args[1:]), func(arg string) bool { return arg == "--bind=:9443" }) // the test has another
	require.Len(t, args, len(container.Args)-2)
	for i := range args {
		args[i] = strings.NewReplacer("=/rules", "="+volumes+"/rules", "=/tls/", "="+volumes+"/tls/").Replace(args[i])
	}
	config := startServe(t, append(args, "--recursive")...) // which finds each file once
	assert.Equal(t, service.Name, config.Webhooks[0].ClientConfig.Service.Name)
	assert.Equal(t, service.Namespace, config.Webhooks[0].ClientConfig.Service.Namespace)
}

// shellBlocks returns the code of the blocks in sh of a Markdown file.
func shellBlocks(t *testing.T, file string) []string {
	t.Helper()
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	var blocks []string
	inside := false
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		switch line := lines.Text(); {
		case line == "```sh":
			inside, blocks = true, append(blocks, "")
		case line == "```":
			inside = false
		case inside:
			blocks[len(blocks)-1] += line + "\n"
		}
	}
	require.NoError(t, lines.Err())
	return blocks
}
