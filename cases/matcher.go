package cases

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/dragoman-io/dragoman/interpreter/value"
	"github.com/dragoman-io/dragoman/manifest"
)

// A matcher stands in an expected output in place of a value.
type matcher struct {
	// check tells what is wrong with the argument.
	check func(argument any) error
	// match compares; got may be Absent.
	match func(c *comparison, field manifest.Path, argument, got any)
}

// matchers returns the matchers by name.
func matchers() map[string]matcher {
	return map[string]matcher{
		"$any": {
			check: wantTrue,
			match: func(c *comparison, field manifest.Path, _, got any) {
				if got == (Absent{}) {
					c.differ(field, wanted("anything"), got)
				}
			},
		},
		"$absent": {
			check: wantTrue,
			match: func(c *comparison, field manifest.Path, _, got any) {
				if got != (Absent{}) {
					c.differ(field, Absent{}, got)
				}
			},
		},
		"$regex":     {check: checkRegex, match: matchRegex},
		"$quantity":  {check: checkQuantity, match: matchQuantity},
		"$partial":   {check: checkPartial, match: matchPartial},
		"$unordered": {check: checkUnordered, match: matchUnordered},
	}
}

// matcherOf returns the matcher that value is: a map whose only key begins with a dollar sign.
func matcherOf(value any) (key string, argument any, ok bool) {
	m, isMap := value.(map[string]any)
	if !isMap || len(m) != 1 {
		return "", nil, false
	}
	for key, argument = range m {
	}
	return key, argument, strings.HasPrefix(key, "$")
}

func (c *comparison) match(field manifest.Path, key string, argument, got any) {
	if m, ok := matchers()[key]; ok {
		m.match(c, field, argument, got)
		return
	}
	c.differ(field, map[string]any{key: argument}, got)
}

// fieldError is what is wrong with a field.
type fieldError struct {
	field manifest.Path
	err   error
}

func (e *fieldError) Error() string { return e.field.String() + ": " + e.err.Error() }

func (e *fieldError) Unwrap() error { return e.err }

// checkMatchers returns what is wrong with the matchers in an expected value: a fieldError each.
func checkMatchers(field manifest.Path, value any) []error {
	var errs []error
	if key, argument, ok := matcherOf(value); ok {
		m, known := matchers()[key]
		if !known {
			return []error{&fieldError{field, fmt.Errorf("unknown matcher %s: want one of %s", key,
				strings.Join(slices.Sorted(maps.Keys(matchers())), ", "))}}
		}
		if err := m.check(argument); err != nil {
			return []error{&fieldError{field, fmt.Errorf("%s: %w", key, err)}}
		}
		return checkMatchers(field.With(key), argument)
	}
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			errs = append(errs, checkMatchers(field.With(key), v[key])...)
		}
	case []any:
		for i, element := range v {
			errs = append(errs, checkMatchers(field.With(i), element)...)
		}
	}
	return errs
}

func wantTrue(argument any) error {
	if argument != true {
		return fmt.Errorf("want true, got %s", manifest.Describe(argument))
	}
	return nil
}

func checkRegex(argument any) error {
	text, ok := argument.(string)
	if !ok {
		return fmt.Errorf("want a regular expression, got %s", manifest.Describe(argument))
	}
	_, err := regexp.Compile(text)
	return err
}

func matchRegex(c *comparison, field manifest.Path, argument, got any) {
	text, isText := got.(string)
	pattern, _ := argument.(string)
	if expression, err := regexp.Compile(pattern); err != nil || !isText || !expression.MatchString(text) {
		c.differ(field, wanted("a match of "+pattern), got)
	}
}

func checkQuantity(argument any) error {
	_, err := value.ParseQuantity(fmt.Sprint(argument))
	return err
}

func matchQuantity(c *comparison, field manifest.Path, argument, got any) {
	if !equalQuantities(argument, got) {
		c.differ(field, wanted(fmt.Sprintf("an amount of %v", argument)), got)
	}
}

func checkPartial(argument any) error {
	if _, ok := argument.(map[string]any); !ok {
		return fmt.Errorf("want some fields of a map, got %s", manifest.Describe(argument))
	}
	return nil
}

// matchPartial compares what the argument has; maps inside it may have further keys as well.
func matchPartial(c *comparison, field manifest.Path, argument, got any) {
	before := c.partial
	c.partial = true
	c.value(field, argument, got)
	c.partial = before
}

func checkUnordered(argument any) error {
	if _, ok := argument.([]any); !ok {
		return errors.New("want a list, got " + manifest.Describe(argument))
	}
	return nil
}

func matchUnordered(c *comparison, field manifest.Path, argument, got any) {
	if _, ok := argument.([]any); !ok {
		c.differ(field, argument, got)
		return
	}
	c.elements(field, argument, got, func(value any) string {
		if name := componentName(value); name != "" {
			return name
		}
		return show(value)
	})
}
