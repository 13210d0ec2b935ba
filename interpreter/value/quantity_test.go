package value_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dragoman-io/dragoman/interpreter/value"
)

func TestParseQuantity(t *testing.T) {
	for text, want := range map[string]string{
		"1": "1", " 500m ": "500m", //nolint:gocritic // blanks around a quantity are the point
		"1Gi": "1Gi", "1e3": "1e3", "1E": "1E", "2.5": "2500m", "-1": "-1", "1e-9": "1e-9",
	} {
		q, err := value.ParseQuantity(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, q.String())
	}
	for text, want := range map[string]string{
		"": `want a quantity, got ""`, "lots": `want a quantity, got "lots"`, "1e-1000000000": "an exponent of at most 99",
		"1e100": "an exponent of at most 99", "1e99999999999999999999": "an exponent of at most 99", "1 Gi": `want a quantity, got "1 Gi"`,
	} {
		_, err := value.ParseQuantity(text)
		assert.ErrorContains(t, err, want, text)
	}
}
