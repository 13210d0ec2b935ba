package webhook_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/webhook"
)

// TestConnectionsThatBreak has servers that end a connection while they answer.
func TestConnectionsThatBreak(t *testing.T) {
	t.Run("once: the question is put again", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var asked atomic.Int32
			f := newFaulty(t, func(w http.ResponseWriter, r *http.Request) {
				if asked.Add(1) == 1 {
					panic(http.ErrAbortHandler)
				}
				reply(healthy)(w, r)
			})
			health, err := interpreter.Client{Interpreter: f.set}.InterpretHealth(t.Context(), web(t))
			require.NoError(t, err)
			assert.True(t, health.Healthy())
		})
	})
	t.Run("before anything was said, often: no object is to blame", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f := newFaulty(t, reply(healthy))
			var dialed atomic.Int32
			set := webhook.New(configuration("https://webhook.example.com/x", f.ca.bundle), webhook.Options{
				Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
					if dialed.Add(1) > 8 {
						return f.network.dial(ctx, network, address)
					}
					near, far := net.Pipe()
					return near, far.Close() // as a balancer does that has nobody to pass it on to
				},
			})
			defer set.Close()
			require.NoError(t, askHealth(t, set))
		})
	})
	t.Run("in the midst of the answer, always: a server that crashes is not asked forever", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var asked atomic.Int32
			f := newFaulty(t, func(w http.ResponseWriter, _ *http.Request) {
				asked.Add(1)
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set("Content-Length", "1000")
				fmt.Fprint(w, `{"response":`)
				_ = http.NewResponseController(w).Flush()
				panic(http.ErrAbortHandler)
			})
			_, _, err := interpreter.Client{Interpreter: f.set}.InterpretReplica(t.Context(), web(t))
			require.ErrorContains(t, err, where+": tried 4 times: read the answer: ")
			assert.EqualValues(t, 4, asked.Load())
		})
	})
}

func TestBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		var well atomic.Bool
		f := newFaulty(t, func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			if !well.Load() {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			reply(healthy)(w, r)
		})
		client := interpreter.Client{Interpreter: f.set}
		ask := func() error {
			_, err := client.InterpretHealth(t.Context(), web(t))
			return err
		}
		for range 5 {
			require.ErrorContains(t, ask(), "503 Service Unavailable")
		}
		require.ErrorContains(t, ask(), "not asked: the last 5 calls failed, the next try is in 10s; the last error: HTTP status: want 200, got 503")
		assert.EqualValues(t, 5, asked.Load(), "an open breaker lets nothing through")

		time.Sleep(10 * time.Second)
		require.ErrorContains(t, ask(), "want 200, got 503", "one call tries")
		require.ErrorContains(t, ask(), "not asked: the last 6 calls failed, the next try is in 10s")

		well.Store(true)
		time.Sleep(10 * time.Second)
		require.NoError(t, ask())
		require.NoError(t, ask())
		assert.EqualValues(t, 8, asked.Load())
	})
}

// TestBreakerOutlivesAChange changes the configuration around a webhook that is left alone.
func TestBreakerOutlivesAChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFaulty(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
		for range 5 {
			require.Error(t, askHealth(t, f.set))
		}
		seconds := int32(1)
		quicker := f.set.Replace(configuration("https://webhook.example.com/x", f.ca.bundle, func(hook *configv1alpha1.ResourceInterpreterWebhook) {
			hook.TimeoutSeconds = &seconds
		}))
		require.ErrorContains(t, askHealth(t, quicker), "not asked")

		elsewhere := f.set.Replace(configuration("https://webhook.example.com/y", f.ca.bundle))
		defer elsewhere.Close()
		require.ErrorContains(t, askHealth(t, elsewhere), "want 200, got 500")
	})
}
