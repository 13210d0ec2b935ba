// Package clusters runs a federation of real Kubernetes clusters on one machine: a control plane API server and any number of
// member clusters, each with an API server, a controller manager, a scheduler and simulated nodes. Nothing but a Go toolchain is
// needed: the programs are built once from their own Go modules and kept in the user's cache folder.
//
//	federation, err := clusters.Start(ctx, clusters.Options{Members: 2, Out: os.Stderr})
//	if err != nil {
//		return err
//	}
//	defer federation.Stop()
//	client, err := dynamic.NewForConfig(federation.Member("member1").Config())
//
// Nodes and Pods are played by KWOK from Stage objects (the stages folder), and so are the operators of a few well-known custom
// resources: a FlinkDeployment goes through the states of the real operator and gets a job id, without Flink. Everything else is what
// Kubernetes does by itself: the controllers, the scheduler, admission and garbage collection are the real ones.
//
// All processes listen on 127.0.0.1 only, with TLS from an authority of their own, and die with the process that started them.
package clusters
