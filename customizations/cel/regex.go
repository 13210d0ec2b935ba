package cel

import (
	"fmt"
	"regexp"
	resyntax "regexp/syntax"
	"strconv"
	"strings"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	celinterpreter "github.com/google/cel-go/interpreter"
)

const (
	// maxPattern is how long a regular expression may be, in bytes.
	maxPattern = 1024
	// maxStates is how large a regular expression may be once its repetitions are written out. Go compiles up to three
	// million states, which take more than 128 MB.
	maxStates = 10_000
	// bytesState is what a state takes while it is compiled and run.
	bytesState = 400
)

// pattern is a compiled regular expression.
type pattern struct {
	*regexp.Regexp
	states int64
}

func compilePattern(text string) (pattern, error) {
	if len(text) > maxPattern {
		return pattern{}, fmt.Errorf("the regular expression has %d bytes: want at most %d", len(text), maxPattern)
	}
	tree, err := resyntax.Parse(text, resyntax.Perl)
	if err != nil {
		return pattern{}, err
	}
	n := states(tree)
	if n > maxStates {
		return pattern{}, fmt.Errorf("the regular expression has more than %d states: want fewer repetitions", maxStates)
	}
	re, err := regexp.Compile(text)
	return pattern{Regexp: re, states: n}, err
}

// states returns about how many states re is compiled to.
func states(re *resyntax.Regexp) int64 {
	n := int64(1 + len(re.Rune))
	for _, sub := range re.Sub {
		n = saturate(n, states(sub))
	}
	if re.Op == resyntax.OpRepeat {
		n = multiply(n, int64(max(re.Max, re.Min, 1)))
	}
	return n
}

// regexFunction computes a function of a text and a pattern; args are the call's.
type regexFunction func(r *run, text string, p pattern, args []ref.Val) ref.Val

// regexMeters returns the functions that match regular expressions.
func regexMeters() map[string]meter {
	out := map[string]meter{}
	for name, f := range map[string]regexFunction{
		"matches":          matches,
		"find":             find,
		"findAll":          findAll,
		"regex.extract":    extract,
		"regex.extractAll": extractAll,
		"regex.replace":    replacePattern,
	} {
		out[name] = meter{growth: product, prepare: func(args []node) (func(*run, []ref.Val) ref.Val, error) {
			return prepareRegex(f, args)
		}}
	}
	return out
}

// prepareRegex compiles a pattern that is a constant; others are compiled for each call.
func prepareRegex(f regexFunction, args []node) (func(*run, []ref.Val) ref.Val, error) {
	var failed error
	compiled := func(r *run, text string) (pattern, error) {
		n := min(int64(len(text)), maxPattern)
		r.charge(n, 1500*n) // a class of characters is that much longer than its name
		p, err := compilePattern(text)
		r.charge(p.states/4, bytesState*p.states)
		return p, err
	}
	if c, ok := args[1].(celinterpreter.InterpretableConst); ok {
		if text, ok := c.Value().(types.String); ok {
			p, err := compilePattern(string(text))
			compiled = func(*run, string) (pattern, error) { return p, err }
			if err != nil {
				failed = notUsable(string(text), err)
			}
		}
	}
	return func(r *run, args []ref.Val) ref.Val {
		text, ok := args[0].(types.String)
		expression, isText := args[1].(types.String)
		if !ok || !isText {
			return types.NoSuchOverloadErr()
		}
		n := int64(len(text)) + 1
		r.charge(multiply(stepsFor(n), int64(len(expression))/4+1), 0) // what CEL counts
		p, err := compiled(r, string(expression))
		if err != nil {
			return types.WrapErr(notUsable(string(expression), err))
		}
		// Matching takes a step of the machine for each state and byte at most.
		r.charge(stepsFor(multiply(n, p.states)/16), 64)
		return f(r, string(text), p, args)
	}, failed
}

func notUsable(pattern string, err error) error {
	return fmt.Errorf("%q is not a regular expression to use here: %w", shorten(pattern), err)
}

func shorten(text string) string {
	const limit = 60
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "..."
}

func matches(_ *run, text string, p pattern, _ []ref.Val) ref.Val {
	return types.Bool(p.MatchString(text))
}

func find(_ *run, text string, p pattern, _ []ref.Val) ref.Val {
	return types.String(p.FindString(text))
}

func findAll(r *run, text string, p pattern, args []ref.Val) ref.Val {
	n := -1
	if len(args) > 2 {
		limit, ok := args[2].(types.Int)
		if !ok {
			return types.NoSuchOverloadErr()
		}
		n = int(limit)
	}
	chargeMatches(r, text, p)
	return types.NewStringList(types.DefaultTypeAdapter, p.FindAllString(text, n))
}

// chargeMatches charges for the list of all matches, of which there is at most one for each byte.
func chargeMatches(r *run, text string, p pattern) {
	n := int64(len(text)) + 1
	r.charge(n, multiply(n, 64+32*int64(p.NumSubexp()+1)))
}

func extract(_ *run, text string, p pattern, _ []ref.Val) ref.Val {
	if p.NumSubexp() > 1 {
		return oneGroup(p)
	}
	groups := p.FindStringSubmatch(text)
	if len(groups) == 0 {
		return types.OptionalNone
	}
	found := groups[len(groups)-1]
	if found == "" && len(groups) > 1 {
		return types.OptionalNone
	}
	return types.OptionalOf(types.String(found))
}

func extractAll(r *run, text string, p pattern, _ []ref.Val) ref.Val {
	if p.NumSubexp() > 1 {
		return oneGroup(p)
	}
	chargeMatches(r, text, p)
	found := []string{}
	for _, groups := range p.FindAllStringSubmatch(text, -1) {
		if last := groups[len(groups)-1]; last != "" || len(groups) == 1 {
			found = append(found, last)
		}
	}
	return types.NewStringList(types.DefaultTypeAdapter, found)
}

func oneGroup(p pattern) ref.Val {
	return types.NewErr("the regular expression %q has %d groups: want at most one", shorten(p.String()), p.NumSubexp())
}

func replacePattern(r *run, text string, p pattern, args []ref.Val) ref.Val {
	replacement, ok := args[2].(types.String)
	if !ok {
		return types.NoSuchOverloadErr()
	}
	limit := int64(-1)
	if len(args) > 3 {
		n, ok := args[3].(types.Int)
		if !ok {
			return types.NoSuchOverloadErr()
		}
		limit = int64(n)
	}
	template, err := parseReplacement(string(replacement), p.NumSubexp())
	if err != nil {
		return types.WrapErr(err)
	}
	if limit == 0 {
		return args[0]
	}
	chargeMatches(r, text, p)
	var out strings.Builder
	end := 0
	for i, match := range p.FindAllStringSubmatchIndex(text, -1) {
		if limit > 0 && int64(i) >= limit {
			break
		}
		n := int64(match[0] - end)
		for _, part := range template {
			n = saturate(n, part.length(match))
		}
		r.charge(n, multiply(3, n)) // the buffer doubles
		out.WriteString(text[end:match[0]])
		for _, part := range template {
			if part.group < 0 {
				out.WriteString(part.text)
			} else if from := match[2*part.group]; from >= 0 {
				out.WriteString(text[from:match[2*part.group+1]])
			}
		}
		end = match[1]
	}
	out.WriteString(text[end:])
	return types.String(out.String())
}

// replacementPart is a text, or a group when group is at least 0.
type replacementPart struct {
	text  string
	group int
}

// length returns how long the part is for a match.
func (p replacementPart) length(match []int) int64 {
	if p.group < 0 {
		return int64(len(p.text))
	}
	return int64(match[2*p.group+1] - match[2*p.group])
}

// parseReplacement reads a replacement, in which \0 to \9 are groups and \\ is a backslash.
func parseReplacement(text string, groups int) ([]replacementPart, error) {
	var out []replacementPart
	for text != "" {
		plain, rest, found := strings.Cut(text, `\`)
		if plain != "" {
			out = append(out, replacementPart{text: plain, group: -1})
		}
		if !found {
			break
		}
		if rest == "" {
			return nil, fmt.Errorf(`the replacement %q ends with \: want \\ or a group`, shorten(text))
		}
		if rest[0] == '\\' {
			out = append(out, replacementPart{text: `\`, group: -1})
		} else {
			n, err := strconv.Atoi(rest[:1])
			if err != nil {
				return nil, fmt.Errorf(`the replacement has \%s: want \\ or \ and a digit`, rest[:1])
			}
			if n > groups {
				return nil, fmt.Errorf("the replacement has group %d, the regular expression %d", n, groups)
			}
			out = append(out, replacementPart{group: n})
		}
		text = rest[1:]
	}
	return out, nil
}
