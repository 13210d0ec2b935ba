// Package status holds what every kind shares about the statuses that members report, whichever language its rules are
// written in: the generation standard, reducers over the members, the merge of conditions.
//
// A status is plain values. Functions only read it; what they return is new, except where they say that it is the
// member's own value. A value that cannot be read is an error that names the member and the field:
//
//	member1: status.readyReplicas: want a whole number, got the string "three"
//
// Where a function takes the name of a field, dots lead into nested objects: "rulecount.validate". A null reads as
// absent.
package status
