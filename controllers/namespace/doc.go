// Package namespace sees to it that every namespace of the control plane exists in every member, before the objects in
// it arrive: each is a Work like any other object.
package namespace
