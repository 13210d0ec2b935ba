package kube

import "slices"

// Functions returns the functions of the library, in the order in which they are documented. The function next is not
// among them: each engine has its own.
func Functions() []Function {
	return slices.Concat(resources(), dependencies(), reducers(), conditions(), statuses(), changes(), values())
}
