package clusters

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// AssetsEnv names the environment variable of a folder with ready binaries. Those found there are used instead of being built.
const AssetsEnv = "KUBEBUILDER_ASSETS"

// The programs of a federation, by the file name of their binaries.
const (
	Etcd              = "etcd"
	APIServer         = "kube-apiserver"
	ControllerManager = "kube-controller-manager"
	Scheduler         = "kube-scheduler"
	Kubectl           = "kubectl"
	KWOK              = "kwok"
)

// modules are the module files that pin what is built. A folder with a go.mod cannot be embedded, hence the names.
//
//go:embed binaries
var modules embed.FS

// KubernetesVersion is the version of the Kubernetes programs that Build builds.
const KubernetesVersion = "v1.36.3"

// kubernetesFlags set the version that Kubernetes programs report; a build from the module proxy does not know it.
const kubernetesFlags = "-s -w" +
	" -X k8s.io/component-base/version.gitVersion=" + KubernetesVersion +
	" -X k8s.io/component-base/version.gitMajor=1" +
	" -X k8s.io/component-base/version.gitMinor=36"

// A program says how one binary is built.
type program struct {
	name     string
	module   string // the module files in the binaries folder, without extension
	pkg      string
	ldflags  string
	expected time.Duration // seen on two cores with downloads
}

// programs returns what a federation needs, in the order it is built.
func programs() []program {
	kubernetes := func(name string, expected time.Duration) program {
		return program{name, "kubernetes", "k8s.io/kubernetes/cmd/" + name, kubernetesFlags, expected}
	}
	return []program{
		{Etcd, "kubernetes", "go.etcd.io/etcd/server/v3", "-s -w", time.Minute},
		kubernetes(APIServer, 5*time.Minute),
		kubernetes(ControllerManager, 90*time.Second),
		kubernetes(Scheduler, 30*time.Second),
		kubernetes(Kubectl, 30*time.Second),
		{KWOK, "kwok", "sigs.k8s.io/kwok/cmd/kwok", "-s -w", 2 * time.Minute},
	}
}

// Binaries maps the name of a program to the path of its binary.
type Binaries map[string]string

// Build returns the binaries of every program, and builds those that are neither in the folder that KUBEBUILDER_ASSETS names nor in the
// user's cache folder. The first build downloads a few hundred megabytes of Go modules and takes minutes; what happens and
// how long it is expected to take is written to out, which may be nil. Several processes may call Build at once: one builds, the
// others wait for it.
func Build(ctx context.Context, out io.Writer) (Binaries, error) {
	found, missing, err := assets(os.Getenv(AssetsEnv))
	if err != nil || len(missing) == 0 {
		return found, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("find a folder for the binaries: %w", err)
	}
	key, err := cacheKey()
	if err != nil {
		return nil, err
	}
	b := builder{dir: filepath.Join(cache, "dragoman", "binaries-"+key), out: lines(out)}
	built, err := b.build(ctx, missing)
	if err != nil {
		return nil, err
	}
	maps.Copy(found, built)
	return found, nil
}

// assets returns the programs found in dir and those that are not. An empty dir has none.
func assets(dir string) (Binaries, []program, error) {
	found, missing := Binaries{}, []program(nil)
	if dir != "" {
		if _, err := os.ReadDir(dir); err != nil {
			return nil, nil, fmt.Errorf("%s: want a folder with the binaries of Kubernetes: %w", AssetsEnv, err)
		}
	}
	for _, p := range programs() {
		path := filepath.Join(dir, p.name)
		if dir == "" || !executable(path) {
			missing = append(missing, p)
			continue
		}
		absolute, err := filepath.Abs(path)
		if err != nil {
			return nil, nil, fmt.Errorf("%s=%s: %w", AssetsEnv, dir, err)
		}
		found[p.name] = absolute
	}
	return found, missing, nil
}

// executable tells whether path is a file that can be run.
func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}

// cacheKey is a hash of all that decides what the binaries are.
func cacheKey() (string, error) {
	h := sha256.New()
	fmt.Fprintln(h, runtime.GOOS, runtime.GOARCH)
	for _, p := range programs() {
		fmt.Fprintln(h, p.name, p.pkg, p.ldflags)
	}
	err := fs.WalkDir(modules, "binaries", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := modules.ReadFile(path)
		if err != nil {
			return err
		}
		fmt.Fprintln(h, path, len(data))
		_, err = h.Write(data)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("read the embedded module files: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil))[:16], nil
}

// names joins the names of programs for a message.
func names(list []program) string {
	var all []string
	for _, p := range list {
		all = append(all, p.name)
	}
	return strings.Join(all, ", ")
}
