package main

import (
	"errors"
	"fmt"
)

// Exit codes of the process.
const (
	exitOK = 0
	// exitFailed means that a rule failed, a check found an error, or a case failed.
	exitFailed = 1
	// exitUnusable means that the command line or an input cannot be used.
	exitUnusable = 2
	// exitGate means that a limit that was asked for is not kept.
	exitGate = 3
	// exitNoCases means that there is nothing to test.
	exitNoCases = 4
	// exitInternal means a defect of this program.
	exitInternal = 5
)

// exitError ends the process with a code. Its text, when it has one, is written to the error stream.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// exit returns the error that ends the process with code; err may be nil when all has been said.
func exit(code int, err error) error { return &exitError{code: code, err: err} }

// unusable returns the error of an input that cannot be used.
func unusable(err error) error {
	if err == nil {
		return nil
	}
	return exit(exitUnusable, err)
}

func unusablef(format string, args ...any) error { return unusable(fmt.Errorf(format, args...)) }

// exitCode returns the code that err ends the process with. What no command has classified is a command line that cobra
// refuses.
func exitCode(err error) int {
	var e *exitError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &e):
		return e.code
	default:
		return exitUnusable
	}
}
