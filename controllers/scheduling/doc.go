// Package scheduling decides which clusters an object goes to and how many of its replicas each gets: it filters
// clusters, chooses among them as spread constraints say, and divides the replicas. It is pure and deterministic: the
// same binding and clusters give the same decision, and what is placed well stays where it is.
package scheduling
