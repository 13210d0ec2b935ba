package customizations

import (
	"hash/maphash"
	"iter"
	"maps"
)

// shardCount is how many parts a shards has. Changing one entry copies one part and the list of parts.
const shardCount = 256

// shards is an immutable map, in parts that its successors share with it. The zero value is empty and can be read.
type shards[K comparable, V any] struct {
	seed maphash.Seed
	maps *[shardCount]map[K]V
}

func (s shards[K, V]) get(key K) (V, bool) {
	if s.maps == nil {
		var none V
		return none, false
	}
	v, ok := s.maps[maphash.Comparable(s.seed, key)%shardCount][key]
	return v, ok
}

func (s shards[K, V]) all() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		if s.maps == nil {
			return
		}
		for _, m := range s.maps {
			for k, v := range m {
				if !yield(k, v) {
					return
				}
			}
		}
	}
}

// shardsEdit makes a successor of a shards: it copies each part at most once.
type shardsEdit[K comparable, V any] struct {
	shards[K, V]
	owned [shardCount]bool
}

func (s shards[K, V]) edit() *shardsEdit[K, V] {
	e := &shardsEdit[K, V]{shards: shards[K, V]{seed: s.seed, maps: new([shardCount]map[K]V)}}
	if s.maps == nil {
		e.seed = maphash.MakeSeed()
		return e
	}
	*e.maps = *s.maps
	return e
}

func (e *shardsEdit[K, V]) part(key K) map[K]V {
	i := maphash.Comparable(e.seed, key) % shardCount
	if !e.owned[i] {
		e.owned[i] = true
		if e.maps[i] = maps.Clone(e.maps[i]); e.maps[i] == nil {
			e.maps[i] = make(map[K]V, 1)
		}
	}
	return e.maps[i]
}

func (e *shardsEdit[K, V]) set(key K, v V) { e.part(key)[key] = v }

func (e *shardsEdit[K, V]) remove(key K) { delete(e.part(key), key) }
