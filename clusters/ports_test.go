package clusters

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPortsAreKept(t *testing.T) {
	dir := t.TempDir()
	first, err := openPorts(dir)
	require.NoError(t, err)
	a, err := first.take("a")
	require.NoError(t, err)
	b, err := first.take("b")
	require.NoError(t, err)
	assert.NotEqual(t, a, b)
	assert.GreaterOrEqual(t, a, lowestPort)
	assert.Less(t, a, highestPort)
	require.NoError(t, first.save())

	second, err := openPorts(dir)
	require.NoError(t, err)
	other, err := second.take("a")
	require.NoError(t, err)
	assert.NotEqual(t, a, other, "it is taken by someone else")
	require.NoError(t, first.close())
	require.NoError(t, second.close())

	third, err := openPorts(dir)
	require.NoError(t, err)
	again, err := third.take("a")
	require.NoError(t, err)
	assert.Equal(t, a, again)

	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(a))
	var listen net.ListenConfig
	_, err = listen.Listen(t.Context(), "tcp4", address)
	require.Error(t, err, "it is held")
	require.NoError(t, third.release("a"))
	listener, err := listen.Listen(t.Context(), "tcp4", address)
	require.NoError(t, err, "it is free for its server")
	require.NoError(t, listener.Close())
	require.NoError(t, third.close())
}

func TestBrokenPortsFileIsTold(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "ports.json"), []byte("["), 0o600))
	_, err := openPorts(dir)
	require.ErrorContains(t, err, "ports.json")
}
