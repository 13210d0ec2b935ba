// Package cluster looks after the members of the federation: it connects to every Cluster, keeps its status true
// (whether it is ready, what it serves, what its nodes have), taints it when it is not ready, and clears up when it
// leaves.
package cluster
