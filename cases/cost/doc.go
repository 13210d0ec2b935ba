// Package cost compares what cases cost with what they cost when somebody last looked: the instructions and bytes of
// scripts, which are the same on every machine, so that a rule cannot become slower unnoticed.
package cost
