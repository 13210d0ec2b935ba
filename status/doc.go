// Package status reads the statuses that members report: the generation standard, what a member's status tells of it,
// counters, times and conditions over all members.
//
// A status is plain values, and is only read. A value that cannot be read is an error that names the field, and, where
// items are concerned, the member before it:
//
//	member1: status.readyReplicas: want a whole number, got "three"
//
// A null reads as absent.
package status
