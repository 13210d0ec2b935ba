// Package transcript runs the commands that a Markdown file shows, and compares what they print with what the file says
// they print, so that documentation cannot go stale and tests of a command line can be read.
//
// Of the fenced blocks of the file:
//
//   - one whose first line is a comment that is a file name (# rules.yaml, -- rule.lua) is written to that file;
//   - one of language sh is run by the shell, in a folder of its own that all blocks of the file share;
//   - one of language text behind it is what that prints, on both streams, and, when it is not 0, the exit status in a
//     line of its own: "(exit status 1)".
package transcript
