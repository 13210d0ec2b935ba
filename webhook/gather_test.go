package webhook

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// slow counts the writes of a connection, and holds each up until it is let through.
type slow struct {
	net.Conn
	through chan struct{}
	mu      sync.Mutex
	writes  [][]byte
}

func (s *slow) Write(p []byte) (int, error) {
	<-s.through
	s.mu.Lock()
	s.writes = append(s.writes, bytes.Clone(p))
	s.mu.Unlock()
	return len(p), nil
}

func (*slow) SetWriteDeadline(time.Time) error { return nil }
func (*slow) Close() error                     { return nil }

func TestGatheredWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		below := &slow{through: make(chan struct{})}
		c := gather(below, time.Second)
		for _, p := range []string{"a", "b", "c"} {
			n, err := c.Write([]byte(p))
			require.NoError(t, err)
			assert.Equal(t, 1, n)
			synctest.Wait()
		}
		close(below.through)
		require.NoError(t, c.Close())
		assert.Equal(t, [][]byte{[]byte("a"), []byte("bc")}, below.writes, "what came while the first was written went out together")
		_, err := c.Write([]byte("d"))
		assert.ErrorIs(t, err, net.ErrClosed)
	})
}

func TestGatheredWritesWaitWhenThereAreTooMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		below := &slow{through: make(chan struct{})}
		c := gather(below, time.Second)
		part := bytes.Repeat([]byte("."), maxGathered)
		var written int
		go func() {
			for range 4 {
				_, err := c.Write(part)
				assert.NoError(t, err)
				written++
			}
		}()
		synctest.Wait()
		assert.Equal(t, 2, written, "one is with the system, one waits")
		close(below.through)
		synctest.Wait()
		assert.Equal(t, 4, written)
		require.NoError(t, c.Close())
		assert.Len(t, bytes.Join(below.writes, nil), 4*maxGathered)
	})
}

func TestGatheredWritesComeInOrder(t *testing.T) {
	near, far := net.Pipe()
	c := gather(near, time.Second)
	var want []byte
	go func() {
		for i := range 500 {
			p := bytes.Repeat([]byte{byte(i)}, 1+i*37%1500)
			want = append(want, p...)
			_, err := c.Write(p)
			assert.NoError(t, err)
			clear(p) // it is the caller's again
		}
		assert.NoError(t, c.Close())
	}()
	got, err := io.ReadAll(far)
	require.NoError(t, err)
	assert.True(t, bytes.Equal(want, got), "want all %d bytes as they were written, got %d", len(want), len(got))
}

func TestGatheredWriteThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		c := gather(near, time.Second)
		require.NoError(t, far.Close())
		_, err := c.Write([]byte("a"))
		require.NoError(t, err, "it is not known yet")
		synctest.Wait()
		_, err = c.Write([]byte("b"))
		require.ErrorIs(t, err, io.ErrClosedPipe)
		require.NoError(t, c.Close())
	})
}

// A peer that does not read keeps nobody who closes the connection, or has set a deadline.
func TestGatheredWritesThatNobodyReads(t *testing.T) {
	for name, end := range map[string]func(net.Conn) error{
		"Close":            net.Conn.Close,
		"SetDeadline":      func(c net.Conn) error { return c.SetDeadline(time.Now()) },
		"SetWriteDeadline": func(c net.Conn) error { return c.SetWriteDeadline(time.Now().Add(-time.Hour)) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				near, _ := net.Pipe()
				c := gather(near, time.Second)
				_, err := c.Write([]byte("a"))
				require.NoError(t, err)
				synctest.Wait()
				start := time.Now()
				require.NoError(t, end(c))
				require.Eventually(t, func() bool {
					_, err = c.Write([]byte("b"))
					return err != nil
				}, time.Hour, time.Millisecond)
				assert.True(t, errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, net.ErrClosed), err)
				// By the clock of the bubble.
				assert.GreaterOrEqual(t, time.Since(start), time.Second, "what was accepted has that long to go out")
				assert.Less(t, time.Since(start), 2*time.Second)
				require.NoError(t, c.Close())
			})
		})
	}
}

// A Close that comes while somebody writes is there to end it.
func TestGatheredCloseEndsAWriteThatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, _ := net.Pipe()
		c := gather(near, time.Hour)
		ended := make(chan error, 1)
		go func() {
			var err error
			for err == nil {
				_, err = c.Write(make([]byte, maxGathered))
			}
			ended <- err
		}()
		synctest.Wait()
		start := time.Now()
		require.NoError(t, c.Close())
		require.ErrorIs(t, <-ended, net.ErrClosed)
		assert.Zero(t, time.Since(start))
		_, err := c.Write([]byte("a"))
		require.ErrorIs(t, err, net.ErrClosed, "it stays closed")
	})
}

// Nothing that comes after Close makes it take longer.
func TestGatheredCloseIsTheLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, _ := net.Pipe()
		c := gather(near, time.Second)
		_, err := c.Write([]byte("a"))
		require.NoError(t, err)
		start, closed := time.Now(), make(chan error)
		go func() { closed <- c.Close() }()
		synctest.Wait()
		require.ErrorIs(t, c.SetWriteDeadline(time.Time{}), net.ErrClosed)
		_, err = c.Write([]byte("b"))
		require.ErrorIs(t, err, net.ErrClosed)
		require.NoError(t, <-closed)
		assert.Equal(t, time.Second, time.Since(start))
	})
}

// A connection with TLS ends with an alert, which says that nothing was cut off.
func TestGatheredAlertArrives(t *testing.T) {
	certificate, bundle, err := SelfSigned([]string{"example.com"}, time.Hour)
	require.NoError(t, err)
	authorities := x509.NewCertPool()
	require.True(t, authorities.AppendCertsFromPEM(bundle))
	near, far := net.Pipe()
	server := tls.Server(gather(near, time.Second), &tls.Config{Certificates: []tls.Certificate{*certificate}, MinVersion: tls.VersionTLS12})
	go func() {
		_, err := server.Write([]byte("all of it"))
		assert.NoError(t, err)
		assert.NoError(t, server.Close())
	}()
	client := tls.Client(gather(far, time.Second), &tls.Config{RootCAs: authorities, ServerName: "example.com", MinVersion: tls.VersionTLS12})
	got, err := io.ReadAll(client)
	require.NoError(t, err)
	assert.Equal(t, "all of it", string(got))
	require.NoError(t, client.Close())
}
