package clusters

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// dieWithParent has the kernel kill the process when the thread that started it ends; see spawner.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }

// clockTick is the unit of the times in /proc/PID/stat: USER_HZ, 100 per second on every architecture that Go runs on.
const clockTick = 10 * time.Millisecond

// processUsage reads what a living process has used so far.
func processUsage(pid int) (cpu time.Duration, resident int64, err error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, 0, err
	}
	return parseStat(string(stat), int64(os.Getpagesize()))
}

// parseStat reads the content of /proc/PID/stat, see proc_pid_stat(5): field 2 is the command in parentheses, which may hold spaces and
// parentheses; 14 and 15 are user and system time, 24 is the number of resident pages.
func parseStat(stat string, pageSize int64) (cpu time.Duration, resident int64, err error) {
	_, rest, _ := cutLast(stat, ")")
	fields := strings.Fields(rest)
	if len(fields) < 22 {
		return 0, 0, fmt.Errorf("/proc/PID/stat: want at least 24 fields, got %q", stat)
	}
	var values [3]int64
	for i, at := range []int{14, 15, 24} {
		if values[i], err = strconv.ParseInt(fields[at-3], 10, 64); err != nil {
			return 0, 0, fmt.Errorf("/proc/PID/stat: field %d: %w", at, err)
		}
	}
	return time.Duration(values[0]+values[1]) * clockTick, values[2] * pageSize, nil
}

// cutLast cuts s around the last separator.
func cutLast(s, separator string) (before, after string, found bool) {
	if i := strings.LastIndex(s, separator); i >= 0 {
		return s[:i], s[i+len(separator):], true
	}
	return s, "", false
}
