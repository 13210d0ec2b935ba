//go:build unix && !linux

package clusters

import (
	"errors"
	"syscall"
	"time"
)

// dieWithParent does nothing: only Linux can tie a child's life to its parent's. Stop and Ctrl-C end the children all the same.
func dieWithParent(*syscall.SysProcAttr) {}

// processUsage is known on Linux only while a process lives; its whole use is added up when it ends.
func processUsage(int) (cpu time.Duration, resident int64, err error) {
	return 0, 0, errors.ErrUnsupported
}
