// Package informers counts what the caches of the controllers hold: it makes the informers of a cache, and remembers them.
package informers
