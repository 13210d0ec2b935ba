package webhook_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dragoman-io/dragoman/webhook"
)

func TestEndpoints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := make(chan http.ResponseWriter)
		f := newFaulty(t, func(w http.ResponseWriter, _ *http.Request) { asked <- w; <-asked })
		stats := func() webhook.EndpointStats {
			found := f.set.Endpoints()
			require.Len(t, found, 1)
			assert.Equal(t, "https://webhook.example.com/x", found[0].URL)
			found[0].URL = ""
			return found[0]
		}
		assert.Equal(t, webhook.EndpointStats{}, stats(), "nothing was asked yet")
		for range 5 {
			go func() { _ = askHealth(t, f.set) }()
			w := <-asked
			assert.Equal(t, 1, stats().Calls)
			assert.Equal(t, 1, stats().Connections)
			w.WriteHeader(http.StatusServiceUnavailable)
			asked <- nil
			synctest.Wait()
		}
		assert.Equal(t, webhook.EndpointStats{Connections: 1, Failures: 5, LeftAlone: true}, stats())
		time.Sleep(2 * time.Minute) // longer than a connection is kept
		synctest.Wait()
		assert.Equal(t, webhook.EndpointStats{Failures: 5, LeftAlone: true}, stats(), "connections that nobody uses are closed")
	})
}
