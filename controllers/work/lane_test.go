package work

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A member whose Works take forever takes no more room than is its own.
func TestLanes(t *testing.T) {
	var l lanes
	key := func(i int) Key { return Key{Namespace: "karmada-es-member1", Name: fmt.Sprint(i)} }
	for i := range laneWidth {
		require.True(t, l.enter("member1", key(i)))
	}
	for range 2 { // a Work that changes while it waits does not wait twice
		assert.False(t, l.enter("member1", key(100)))
		assert.False(t, l.enter("member1", key(101)))
	}
	require.True(t, l.enter("member2", key(0)), "there is room for the others")
	_, waited := l.leave("member2")
	assert.False(t, waited)

	next, waited := l.leave("member1")
	require.True(t, waited)
	assert.Equal(t, key(100), next)
	require.True(t, l.enter("member1", next))
	assert.False(t, l.enter("member1", key(102)))
	var order []Key
	for range laneWidth {
		if next, waited := l.leave("member1"); waited {
			order = append(order, next)
		}
	}
	assert.Equal(t, []Key{key(101), key(102)}, order)
	assert.Empty(t, l.of, "nothing is kept of a member that has nothing to do")
}

// Whatever comes while Works are carried, none is forgotten: all of them have been carried in the end.
func TestLanesForgetNothing(t *testing.T) {
	var l lanes
	queue := make([]Key, 0, 1000)
	for i := range 1000 {
		queue = append(queue, Key{Namespace: "n", Name: fmt.Sprint(i)})
	}
	var busy []Key
	carried := map[Key]bool{}
	for len(queue) > 0 || len(busy) > 0 {
		if len(queue) > 0 {
			if l.enter("n", queue[0]) {
				busy = append(busy, queue[0])
			}
			queue = queue[1:]
		}
		if len(busy) == laneWidth || len(queue) == 0 && len(busy) > 0 {
			carried[busy[0]] = true
			busy = busy[1:]
			if next, waited := l.leave("n"); waited {
				queue = append(queue, next)
			}
		}
	}
	assert.Len(t, carried, 1000)
}
