package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dragoman-io/dragoman/manifest"
)

// file is the data that a command was given, and where it came from.
type file struct {
	name string
	data []byte
	// found tells that it is in a folder that was named.
	found bool
}

// reader reads what users name on the command line: files, folders, patterns, URLs, and "-" for the standard input.
type reader struct {
	stdin     io.Reader
	recursive bool
	stdinRead bool
}

const (
	maxFile         = 64 << 20
	downloadTimeout = 30 * time.Second
)

// read returns what the names stand for, in their order and that of file names.
func (r *reader) read(ctx context.Context, names ...string) ([]file, error) {
	var files []file
	for _, name := range names {
		found, err := r.readOne(ctx, name)
		if err != nil {
			return nil, unusable(err)
		}
		files = append(files, found...)
	}
	return files, nil
}

func (r *reader) readOne(ctx context.Context, name string) ([]file, error) {
	switch {
	case name == "-":
		if r.stdinRead {
			return nil, errors.New("-: the standard input can be read only once")
		}
		r.stdinRead = true
		data, err := readAll("<stdin>", r.stdin)
		return []file{{name: "<stdin>", data: data}}, err
	case strings.HasPrefix(name, "https://"), strings.HasPrefix(name, "http://"):
		data, err := download(ctx, name)
		return []file{{name: name, data: data}}, err
	}
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(name, "*?[") {
		return r.readPattern(ctx, name)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, cause(err))
	}
	if !info.IsDir() {
		found, err := readFile(name)
		return []file{found}, err
	}
	return r.readFolder(name)
}

func (r *reader) readPattern(ctx context.Context, pattern string) ([]file, error) {
	names, err := filepath.Glob(pattern)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", pattern, err)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s: no file matches", pattern)
	}
	var files []file
	for _, name := range names {
		found, err := r.readOne(ctx, name)
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	return files, nil
}

func (r *reader) readFolder(folder string) ([]file, error) {
	var files []file
	err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != folder && (!r.recursive || strings.HasPrefix(entry.Name(), "..")):
			return filepath.SkipDir // or where the kubelet keeps what the files of a volume are links to
		case entry.IsDir() || !manifest.IsFile(name):
			return nil
		}
		f, err := readFile(name)
		f.found = true
		files = append(files, f)
		return err
	})
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s: no .yaml, .yml or .json file in this folder (-R looks below it)", folder)
	}
	return files, err
}

func readFile(name string) (file, error) {
	f, err := os.Open(name) //nolint:gosec // the user names the file
	if err != nil {
		return file{}, fmt.Errorf("%s: %w", name, cause(err))
	}
	defer f.Close()
	data, err := readAll(name, f)
	return file{name: name, data: data}, err
}

// cause returns what is wrong with a file or URL, without its name and what was done with it.
func cause(err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return pathErr.Err
	}
	if urlErr, ok := errors.AsType[*url.Error](err); ok {
		return urlErr.Err
	}
	return err
}

func readAll(name string, from io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(from, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s: want at most %d MiB, got more", name, maxFile>>20)
	}
	return data, nil
}

func download(ctx context.Context, address string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, downloadTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", address, cause(err))
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", address, cause(err))
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: want status 200, got %s", address, resp.Status)
	}
	return readAll(address, resp.Body)
}

// objects returns the objects in files; a file without any is an error.
func objects(files []file) ([]manifest.Object, error) {
	var found []manifest.Object
	var errs []error
	for _, f := range files {
		objects, err := manifest.Objects(f.name, f.data)
		switch {
		case err != nil:
			errs = append(errs, err)
		case len(objects) == 0:
			errs = append(errs, fmt.Errorf("%s: want an object, got none", f.name))
		}
		found = append(found, objects...)
	}
	return found, unusable(errors.Join(errs...))
}
