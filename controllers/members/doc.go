// Package members connects the controllers to the member clusters: for every Cluster that can be reached a Member with
// a client, a cache of the objects that the controllers put there, and what the cluster serves.
package members
