package cel

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dragoman-io/dragoman/customizations/script"
)

// weigh returns how many nodes v has, longer strings counting more, and charges a step for each that it visits ten of: a
// value can hold another many times over, so that it has more nodes than there is memory.
func (r *run) weigh(v ref.Val) int64 {
	w := scales{run: r}
	w.value(v)
	return w.nodes
}

type scales struct {
	run *run
	// charged is how many steps were charged for nodes. It must not depend on the order in which they come: that of the
	// entries of a map is another one with each run.
	nodes, charged int64
}

func (s *scales) node(length int) {
	s.nodes += int64(1 + length/perStep)
	if due := s.nodes / perStep; due > s.charged {
		s.run.charge(due-s.charged, 0)
		s.charged = due
	}
}

func (s *scales) value(v ref.Val) {
	switch v := v.(type) {
	case types.String:
		s.node(len(v))
	case types.Bytes:
		s.node(len(v))
	case *types.Optional:
		s.node(0)
		if v.HasValue() {
			s.value(v.GetValue())
		}
	case traits.Mapper:
		switch m := v.Value().(type) {
		case map[string]any:
			s.plain(m)
		case map[ref.Val]ref.Val:
			s.node(0)
			for key, value := range m {
				s.value(key)
				s.value(value)
			}
		default:
			s.node(0)
			for it := v.Iterator(); it.HasNext() == types.True; {
				key := it.Next()
				s.value(key)
				s.value(v.Get(key))
			}
		}
	case traits.Lister:
		switch l := v.Value().(type) {
		case []any:
			s.plain(l)
		case []ref.Val:
			s.node(0)
			for _, element := range l {
				s.value(element)
			}
		default:
			s.node(0)
			for i := range length(v) {
				s.value(v.Get(types.Int(i)))
			}
		}
	default:
		s.node(0)
	}
}

func (s *scales) plain(v any) {
	switch v := v.(type) {
	case string:
		s.node(len(v))
	case map[string]any:
		s.node(0)
		for key, value := range v {
			s.node(len(key))
			s.plain(value)
		}
	case []any:
		s.node(0)
		for _, element := range v {
			s.plain(element)
		}
	case ref.Val:
		s.value(v)
	default:
		s.node(0)
	}
}

// plain returns v as a plain Go value that shares no memory with anything, and charges for it. What CEL has and JSON has
// not becomes text as CEL's own conversion to JSON has it. The error names the place in v.
func (r *run) plain(v ref.Val) (any, error) {
	switch v := v.(type) {
	case types.Null:
		return nil, nil
	case types.Bool:
		return bool(v), nil
	case types.Int:
		return int64(v), nil
	case types.Uint:
		if v > math.MaxInt64 {
			return nil, fmt.Errorf("want a whole number below 2^63, got %d", uint64(v))
		}
		return int64(v), nil
	case types.Double:
		if f := float64(v); !math.IsNaN(f) && !math.IsInf(f, 0) {
			return f, nil
		}
		return nil, fmt.Errorf("want a number, got %v", float64(v))
	case types.String:
		return string(v), nil
	case types.Bytes:
		r.charge(stepsFor(length(v)), 2*length(v))
		return base64.StdEncoding.EncodeToString(v), nil
	case types.Timestamp:
		return v.UTC().Format(time.RFC3339Nano), nil
	case traits.Mapper:
		return r.plainMap(v)
	case traits.Lister:
		return r.plainList(v)
	case *types.Optional:
		return nil, errors.New("want a value, got an optional one: end it with .orValue(...)")
	case *types.Type:
		return nil, fmt.Errorf("want a value, got the type %s", v.TypeName())
	case types.Duration:
		return strconv.FormatFloat(v.Seconds(), 'f', -1, 64) + "s", nil
	}
	switch value := v.Value().(type) {
	case *resource.Quantity:
		q := value.DeepCopy() // writing a quantity caches the text in it
		return q.String(), nil
	case fmt.Stringer:
		return value.String(), nil
	}
	return nil, fmt.Errorf("want a value, got %s", describe(v))
}

// plainOutcome is plain for what a node gave.
func (r *run) plainOutcome(o outcome) (any, error) {
	switch v := o.value.(type) {
	case ref.Val:
		return r.plain(v)
	case float64:
		return r.plain(types.Double(v))
	default:
		return r.copyValue(v), nil
	}
}

func (r *run) plainMap(m traits.Mapper) (any, error) {
	n := length(m)
	r.charge(stepsFor(n), bytesMap+bytesEntry*n)
	if native, ok := m.Value().(map[string]any); ok {
		return r.copyMap(native), nil
	}
	out := make(map[string]any, n)
	put := func(key, value ref.Val) (err error) {
		name, ok := key.(types.String)
		if !ok {
			return fmt.Errorf("want text for each key of a map, got %s", describe(key))
		}
		if out[string(name)], err = r.plain(value); err != nil {
			return script.InField(string(name), err)
		}
		return nil
	}
	if entries, ok := m.Value().(map[ref.Val]ref.Val); ok {
		steps, bytes := r.steps, r.bytes
		var err error
		for key, value := range entries {
			if err = put(key, value); err != nil {
				break
			}
		}
		if err == nil {
			return out, nil
		}
		r.steps, r.bytes = steps, bytes
	}
	// In order, so that of several errors it is always the same one, and has cost the same.
	m, _ = sortKeys(nil, m).(traits.Mapper)
	for it := m.Iterator(); it.HasNext() == types.True; {
		key := it.Next()
		if err := put(key, m.Get(key)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (r *run) plainList(l traits.Lister) (any, error) {
	n := length(l)
	r.charge(stepsFor(n), bytesList+bytesElement*n)
	if native, ok := l.Value().([]any); ok {
		return r.copyList(native), nil
	}
	out := make([]any, n)
	for i := range out {
		var err error
		if out[i], err = r.plain(l.Get(types.Int(i))); err != nil {
			return nil, script.InElement(i, err)
		}
	}
	return out, nil
}

// copyValue returns a copy of a plain value, and charges for it.
func (r *run) copyValue(v any) any {
	switch v := v.(type) {
	case map[string]any:
		r.charge(stepsFor(int64(len(v))), bytesMap+bytesEntry*int64(len(v)))
		return r.copyMap(v)
	case []any:
		r.charge(stepsFor(int64(len(v))), bytesList+bytesElement*int64(len(v)))
		return r.copyList(v)
	default:
		return v
	}
}

func (r *run) copyMap(m map[string]any) map[string]any {
	if m == nil {
		return nil
	}
	out := make(map[string]any, len(m))
	for key, value := range m {
		out[key] = r.copyValue(value)
	}
	return out
}

func (r *run) copyList(l []any) []any {
	if l == nil {
		return nil
	}
	out := make([]any, len(l))
	for i, value := range l {
		out[i] = r.copyValue(value)
	}
	return out
}

// describe returns v in words, for an error.
func describe(v ref.Val) string {
	switch v := v.(type) {
	case types.Null:
		return "null"
	case types.Bool:
		return strconv.FormatBool(bool(v))
	case types.Int:
		return strconv.FormatInt(int64(v), 10)
	case types.Uint:
		return strconv.FormatUint(uint64(v), 10) + "u"
	case types.Double:
		s := strconv.FormatFloat(float64(v), 'g', -1, 64)
		if !strings.ContainsAny(s, ".eIN") {
			s += ".0"
		}
		return s
	case types.String:
		if len(v) > 60 {
			return "a string of " + strconv.Itoa(len(v)) + " bytes"
		}
		return "the string " + strconv.Quote(string(v))
	case types.Bytes:
		return "bytes"
	case traits.Mapper:
		return "a map"
	case traits.Lister:
		return "a list"
	case *types.Optional:
		return "an optional value"
	case *types.Type:
		return "the type " + v.TypeName()
	case nil:
		return "nothing"
	default:
		return "a " + v.Type().TypeName()
	}
}
