package argocd

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/gopher-lua/parse"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/customizations/script"
)

// customizationsFile and suiteFile are the names of what is written.
const (
	customizationsFile = "customizations.yaml"
	suiteFile          = "cases.yaml"
)

// before and after surround the script. The script's function is a local without a name of its own inside, so that the
// script cannot meet it, and the script's globals are those of the run.
const (
	before = "-- The check as Argo CD runs it: it reads obj, and returns a table with status and message.\n" +
		"local check = function(obj)\n"
	after = `end

local states = {
  Healthy = true, Progressing = true, Degraded = true, Suspended = true, Missing = true, Unknown = true
}

function InterpretHealth(observedObj)
  local health = check(observedObj)
  if health ~= nil and type(health) ~= "table" then
    error("the check returns a " .. type(health) .. ": want a table with status and message")
  end
  if health == nil or next(health) == nil then
    return "Unknown" -- The check has nothing to say.
  end
  if not states[health.status] then
    return "Unknown", "Lua returned an invalid health status"
  end
  return health.status, health.message
end
`
)

// linesBefore is how many lines of the customization's script stand before the first of the check's.
var linesBefore = strings.Count(before, "\n")

// asksTime finds scripts whose answer may depend on the time.
var asksTime = regexp.MustCompile(`\bos\s*\.\s*(time|date|clock)\b`)

// newCheck reads the script in folder and makes its customization.
func newCheck(fsys fs.FS, folder string) (*Check, error) {
	name, target, err := parseFolder(folder)
	if err != nil {
		return nil, err
	}
	data, err := fs.ReadFile(fsys, path.Join(folder, scriptFile))
	if err != nil {
		return nil, cause(err)
	}
	if len(data) > script.MaxSource {
		return nil, fmt.Errorf("want a script of at most %d bytes, got %d", script.MaxSource, len(data))
	}
	text, err := normal(data)
	if err != nil {
		return nil, err
	}
	return &Check{
		Folder: folder, Name: name, Customization: customization(folder, name, target, before+text+after),
		script: text, usesClock: asksTime.MatchString(text),
	}, nil
}

// alone tells what is wrong with the script by itself: one that ends the function it is put into, and begins another, would
// compile.
func (c *Check) alone() error {
	_, err := parse.Parse(strings.NewReader(c.script), scriptFile)
	if at, ok := errors.AsType[*parse.Error](err); ok {
		return fmt.Errorf("line %d: %s near %q", at.Pos.Line, at.Message, at.Token)
	}
	return err
}

// parseFolder returns the target that a folder's name means, and a name for its customization.
func parseFolder(folder string) (name string, target configv1alpha1.CustomizationTarget, err error) {
	group, kind, ok := strings.Cut(strings.ReplaceAll(folder, "*", "_"), "/")
	if !ok {
		group, kind = "", folder
	}
	if folder == "." || strings.Contains(kind, "/") {
		return "", target, fmt.Errorf("want it in a folder <group>/<Kind>, got %q", folder)
	}
	if target.APIVersion, err = apiVersion(group); err != nil {
		return "", target, err
	}
	if target.Kind = kind; kind == "_" {
		target.Kind = "*"
	} else if strings.Contains(kind, "_") {
		return "", target, fmt.Errorf("kind %q: want a kind, or _ for every kind: a target cannot have a part of a name", kind)
	}
	if _, err := customizations.ParseTarget(target); err != nil {
		return "", target, fmt.Errorf("folder %q: %w", folder, err)
	}
	name = strings.ToLower(kind)
	if kind == "_" {
		name = "any-kind"
	}
	if group == "" || group == coreGroup {
		return name, target, nil
	}
	if suffix, ok := strings.CutPrefix(group, "_."); ok {
		group = "any-group." + suffix
	}
	return name + "." + group, target, nil
}

// coreGroup is a folder for kinds without a group, which may also stand at the root.
const coreGroup = "core"

// apiVersion returns the apiVersion of the target for a group as a folder names it.
func apiVersion(group string) (string, error) {
	if group == "" || group == coreGroup {
		return "v1", nil
	}
	exact := group
	suffix, wildcard := strings.CutPrefix(group, "_.")
	if wildcard {
		group, exact = "*."+suffix, suffix
	}
	if strings.Contains(exact, "_") {
		return "", fmt.Errorf("group %q: want a group, or _. and the end of groups: no other wildcard has a target", group)
	}
	return group + "/*", nil
}

// normal returns a script as the lines of a YAML block can hold it: Lua reads both the same.
func normal(data []byte) (string, error) {
	if !utf8.Valid(data) {
		return "", errors.New("the script is not UTF-8")
	}
	text := strings.TrimPrefix(string(data), "\ufeff")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text, nil
}

// customization returns the YAML of the customization with the given script.
func customization(folder, name string, target configv1alpha1.CustomizationTarget, text string) []byte {
	return fmt.Appendf(nil, `# Imported from the Argo CD health check %s.
apiVersion: %s
kind: %s
metadata:
  name: %q
spec:
  target:
    apiVersion: %q
    kind: %q
  customizations:
    healthInterpretation:
      luaScript: %s`, path.Join(folder, scriptFile), configv1alpha1.GroupVersion, customizations.Kind, name,
		target.APIVersion, target.Kind, literal(text, "        "))
}

// literal returns text, which begins with no space and ends in a newline, as a block scalar whose lines are indented, or
// quoted when a block cannot hold it.
func literal(text, indent string) string {
	fits := func(r rune) bool { return r == '\n' || r == '\t' || unicode.IsPrint(r) }
	if strings.ContainsFunc(text, func(r rune) bool { return !fits(r) }) {
		return strconv.QuoteToASCII(text) + "\n" // Its escapes are those of YAML.
	}
	return "|\n" + indented(text, indent)
}

// indented returns the lines of text with indent before each that is not empty.
func indented(text, indent string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line != "\n" {
			b.WriteString(indent)
		}
		b.WriteString(line)
	}
	return b.String()
}

// cause returns what is wrong with a file, without its name and the system call.
func cause(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	return err
}
