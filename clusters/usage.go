package clusters

import "time"

// Usage is what one process of a federation has used since the federation started.
type Usage struct {
	// Process is the name of the process: etcd, or cluster and program as in member1/kube-apiserver.
	Process string
	// PID is its process id, 0 while it does not run.
	PID int
	// Starts counts how often it was started; more than one means that it ended or was restarted.
	Starts int
	// CPU is the user and system time of all its runs, with a resolution of 10 ms for the one that runs.
	CPU time.Duration
	// Resident is the memory in bytes that it holds now.
	Resident int64
}

// usage reads what the process has used.
func (p *process) usage() Usage {
	p.mu.Lock()
	defer p.mu.Unlock()
	u := Usage{Process: p.name, Starts: p.starts, CPU: p.spent}
	if p.running == nil {
		return u
	}
	u.PID = p.running.Pid
	// It may have ended a moment ago, or the system may not tell; what is known stands.
	if cpu, resident, err := processUsage(u.PID); err == nil {
		u.CPU += cpu
		u.Resident = resident
	}
	return u
}
