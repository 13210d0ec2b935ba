package webhook

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

func TestAppendJSONLeavesOthersToEncodingJSON(t *testing.T) {
	for _, value := range []any{
		0.5, 1e21, 1e-7, float64(3), math.Copysign(0, -1), int32(7), json.Number("1.50"), []string{"a"}, map[string]int{"b": 1, "a": 2}, struct{ A any }{nil},
		map[string]any(nil), []any(nil), map[string]any{"a": []any{int32(1), []string(nil)}},
	} {
		want, err := json.Marshal(value)
		require.NoError(t, err)
		got, err := appendJSON(nil, value)
		require.NoError(t, err)
		assert.Equal(t, string(want), string(got))
	}
	for _, value := range []any{math.NaN(), map[string]any{"a": []any{math.Inf(1)}}} {
		_, err := appendJSON(nil, value)
		require.ErrorContains(t, err, "unsupported value")
	}
}

func TestParseJSONSaysWhere(t *testing.T) {
	for data, want := range map[string]string{
		"":                           "got nothing",
		" \n":                        "got nothing",
		"{":                          "byte 1: want a name, got the end of the input",
		`{"a"`:                       "byte 4: want :, got the end of the input",
		`{"a":1,}`:                   `byte 7: want a name, got '}'`,
		`{"a":1 "b"`:                 `byte 7: want , or }, got '"'`,
		`[1,]`:                       `byte 3: want a value, got ']'`,
		`[1 2]`:                      `byte 3: want , or ], got '2'`,
		`01`:                         `byte 1: want the end, got '1'`,
		`-`:                          "byte 1: want a value, got the end of the input",
		`1.`:                         "byte 2: want a digit, got the end of the input",
		`1e+`:                        "byte 3: want a digit, got the end of the input",
		`1e999`:                      "byte 0: number 1e999 is too large",
		`tru`:                        "byte 3: want true, got the end of the input",
		`nul `:                       "byte 3: want null, got ' '",
		`"a`:                         `byte 2: want ", got the end of the input`,
		"\"a\n\"":                    `byte 2: want an escape for a control character, got '\n'`,
		`"\x"`:                       `byte 0: invalid character 'x' in string escape code`,
		`{} {}`:                      `byte 3: want the end, got '{'`,
		`é`:                          `byte 0: want a value, got 'é'`,
		strings.Repeat("[", 100_000): "byte 1001: nested deeper than 1000",
	} {
		_, err := parseJSON([]byte(data))
		assert.ErrorContains(t, err, want, "%.20s", data)
	}
}

// FuzzJSON holds the codec to encoding/json and Kubernetes' decoder.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{
		`null`, `{}`, `[]`, `""`, `0`, `-0`, `-0.0`, `1.0`, `1E5`, `9007199254740993`, `9223372036854775807`, `9223372036854775808`, `-9223372036854775809`,
		`{"a":1,"a":2,"":{"b":[true,false,null]}}`, `"\u0000\u2028\ud800\ud83d\ude00<>&\/\b\f\n\r\t\"\\"`, "\"\xff\xe2\x80\xa8\x7f\"", ` [ 1 , { "a" : [ ] } ] `,
		`[1,]`, `{"a"}`, `01`, `.5`, `1.`, `+1`, `1e`, `tru`, `"\x"`, `[}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := parseJSON(data)
		var want any
		wantErr := utiljson.Unmarshal(data, &want)
		if strings.Count(string(data), "[")+strings.Count(string(data), "{") > maxDepth {
			return // it may be too deep for one of them
		}
		require.Equal(t, wantErr == nil, err == nil, "%v, %v", wantErr, err)
		if err != nil {
			return
		}
		require.Equal(t, want, got)
		wantData, err := json.Marshal(got)
		require.NoError(t, err)
		gotData, err := appendJSON(nil, got)
		require.NoError(t, err)
		require.Equal(t, string(wantData), string(gotData))
		require.True(t, equal(want, got))
	})
}
