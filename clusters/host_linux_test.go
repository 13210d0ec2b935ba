package clusters

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseStat(t *testing.T) {
	fields := "S 1 2 3 4 5 6 7 8 9 10 150 50 13 14 15 16 17 18 19 20 1000 25"
	tests := []struct {
		reason, stat string
		wantErr      string
	}{
		{"a plain name", "1 (etcd) " + fields, ""},
		{"a name with spaces and parentheses", "1 (a) b (c) " + fields, ""},
		{"too short", "1 (etcd) S 1 2", "want at least 24 fields"},
		{"no number", "1 (etcd) " + strings.Replace(fields, "150", "x", 1), "field 14"},
		{"empty", "", "want at least 24 fields"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			cpu, resident, err := parseStat(test.stat, 4096)
			if test.wantErr != "" {
				require.ErrorContains(t, err, test.wantErr)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, 2*time.Second, cpu)
			assert.EqualValues(t, 4096000, resident)
		})
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add("1 (etcd) S 1 2 3 4 5 6 7 8 9 10 150 50 13 14 15 16 17 18 19 20 1000 25")
	f.Add(") ) (")
	f.Fuzz(func(t *testing.T, stat string) {
		if _, _, err := parseStat(stat, 4096); err == nil && strings.Count(stat, " ") < 21 {
			t.Errorf("parsed %q", stat)
		}
	})
}

// tellAndSleep returns a script that writes its process id to a file, and goes on.
func tellAndSleep(file string) string {
	return `echo $$ > "` + file + `.partial"; mv "` + file + `.partial" "` + file + `"; exec sleep 1000`
}

// TestChildrenDieWithTheirParent kills a process that has started another one, as the out-of-memory killer would.
func TestChildrenDieWithTheirParent(t *testing.T) {
	if file := os.Getenv(parentEnv); file != "" {
		p := newProcess(t, tellAndSleep(file))
		p.start()
		<-p.ended
		return
	}
	requireChildDies(t)
}

// TestBuildDiesWithItsParent kills one that builds.
func TestBuildDiesWithItsParent(t *testing.T) {
	if file := os.Getenv(parentEnv); file != "" {
		fakeGo(t, tellAndSleep(file))
		_, err := builder{dir: filepath.Dir(file), out: lines(nil)}.build(t.Context(), programs())
		require.NoError(t, err)
		return
	}
	requireChildDies(t)
}

// parentEnv tells a test that it is the process to be killed, and where its child writes its id.
const parentEnv = "DRAGOMAN_TEST_PARENT"

// requireChildDies runs the test once more as a process of its own, kills it when it has a child, and waits until that is gone.
func requireChildDies(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	file := t.TempDir() + "/pid"
	parent := exec.CommandContext(ctx, os.Args[0], "-test.run=^"+t.Name()+"$")
	parent.Env = append(os.Environ(), parentEnv+"="+file)
	require.NoError(t, parent.Start())
	var child int
	require.NoError(t, poll(ctx, func(context.Context) (err error) {
		data, err := os.ReadFile(file)
		if err == nil {
			child, err = strconv.Atoi(strings.TrimSpace(string(data)))
		}
		return err
	}))
	require.NoError(t, syscall.Kill(child, 0), "it lives")
	require.NoError(t, parent.Process.Kill())
	require.Error(t, parent.Wait())
	require.NoError(t, poll(ctx, func(context.Context) error {
		if err := syscall.Kill(child, 0); err == nil {
			stat, _ := os.ReadFile("/proc/" + strconv.Itoa(child) + "/stat")
			if !strings.Contains(string(stat), ") Z ") {
				return errors.New("it still lives")
			}
		}
		return nil
	}))
}
