package lua

import (
	"math"
	"math/rand/v2"

	lua "github.com/yuin/gopher-lua"

	"github.com/dragoman-io/dragoman/interpreter"
)

var mathFunctions = functions{
	"abs": of1(math.Abs), "acos": of1(math.Acos), "asin": of1(math.Asin), "atan": of1(math.Atan), "atan2": of2(math.Atan2),
	"ceil": of1(math.Ceil), "cos": of1(math.Cos), "cosh": of1(math.Cosh), "deg": of1(func(x float64) float64 { return x * 180 / math.Pi }),
	"exp": of1(math.Exp), "floor": of1(math.Floor), "fmod": of2(math.Mod), "frexp": mathFrexp, "ldexp": mathLdexp,
	"log": of1(math.Log), "log10": of1(math.Log10), "max": mathBest(func(a, b lua.LNumber) bool { return a > b }),
	"min": mathBest(func(a, b lua.LNumber) bool { return a < b }), "mod": of2(modulo), "modf": mathModf, "pow": of2(math.Pow),
	"rad": of1(func(x float64) float64 { return x * math.Pi / 180 }), "random": mathRandom, "randomseed": mathRandomseed,
	"sin": of1(math.Sin), "sinh": of1(math.Sinh), "sqrt": of1(math.Sqrt), "tan": of1(math.Tan), "tanh": of1(math.Tanh),
}

func addMathConstants(module *lua.LTable) {
	module.RawSetString("pi", lua.LNumber(math.Pi))
	module.RawSetString("huge", lua.LNumber(math.MaxFloat64))
}

func of1(f func(float64) float64) lua.LGFunction {
	return func(l *lua.LState) int {
		l.Push(lua.LNumber(f(float64(l.CheckNumber(1)))))
		return 1
	}
}

func of2(f func(_, _ float64) float64) lua.LGFunction {
	return func(l *lua.LState) int {
		l.Push(lua.LNumber(f(float64(l.CheckNumber(1)), float64(l.CheckNumber(2)))))
		return 1
	}
}

// modulo is the operator %: its result has the sign of b.
func modulo(a, b float64) float64 {
	m := math.Mod(a, b)
	if b > 0 && m < 0 || b < 0 && m > 0 {
		m += b
	}
	return m
}

func mathFrexp(l *lua.LState) int {
	fraction, exponent := math.Frexp(float64(l.CheckNumber(1)))
	l.Push(lua.LNumber(fraction))
	l.Push(lua.LNumber(exponent))
	return 2
}

func mathLdexp(l *lua.LState) int {
	l.Push(lua.LNumber(math.Ldexp(float64(l.CheckNumber(1)), l.CheckInt(2))))
	return 1
}

func mathModf(l *lua.LState) int {
	whole, fraction := math.Modf(float64(l.CheckNumber(1)))
	l.Push(lua.LNumber(whole))
	l.Push(lua.LNumber(fraction))
	return 2
}

func mathBest(better func(a, b lua.LNumber) bool) lua.LGFunction {
	return func(l *lua.LState) int {
		best := l.CheckNumber(1)
		for i := 2; i <= l.GetTop(); i++ {
			if n := l.CheckNumber(i); better(n, best) {
				best = n
			}
		}
		l.Push(best)
		return 1
	}
}

// numbers returns the run's source of random numbers, which begins with the seed of the caller's clock.
func (r *run) numbers() *rand.Rand {
	if r.random == nil {
		r.seed(interpreter.ClockOf(r.caller).Seed)
	}
	return r.random
}

func (r *run) seed(seed int64) {
	r.random = rand.New(rand.NewPCG(uint64(seed), 0)) //nolint:gosec // for scripts, and to be repeated
}

func mathRandomseed(l *lua.LState) int {
	runOf(l).seed(l.CheckInt64(1))
	return 0
}

func mathRandom(l *lua.LState) int {
	numbers := runOf(l).numbers()
	low := 1
	var high int
	switch l.GetTop() {
	case 0:
		l.Push(lua.LNumber(numbers.Float64()))
		return 1
	case 1:
		high = l.CheckInt(1)
	default:
		low, high = l.CheckInt(1), l.CheckInt(2)
	}
	if width := high - low + 1; high < low || width <= 0 {
		l.ArgError(l.GetTop(), "interval is empty")
	}
	l.Push(lua.LNumber(low + numbers.IntN(high-low+1)))
	return 1
}
