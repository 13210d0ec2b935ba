package script

// Pool is what an engine keeps for the runs of its scripts.
type Pool struct {
	// InUse is how many states are running a script, Idle how many wait for the next one until the garbage collector takes
	// them.
	InUse, Idle int64
	// Created is how many states there have been, Discarded how many of them were thrown away because of what a script had
	// done.
	Created, Discarded int64
}

// Pooled is an Engine whose runs need states that it keeps.
type Pooled interface {
	Engine
	// Pool returns how many states there are. What it returns while scripts run may be off by those that begin or end.
	Pool() Pool
}
