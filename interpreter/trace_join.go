package interpreter

// JoinTraces returns a Trace that tells each of traces, in their order. Nil ones are left out; without any the Trace tells
// nobody.
func JoinTraces(traces ...*Trace) *Trace {
	out := &Trace{}
	for _, t := range traces {
		if t == nil {
			continue
		}
		out.Answered = join2(out.Answered, t.Answered)
		out.Printed = join2(out.Printed, t.Printed)
		out.Spent = join2(out.Spent, t.Spent)
		out.Read = join2(out.Read, t.Read)
		out.Step = join1(out.Step, t.Step)
	}
	return out
}

func join1[A any](first, second func(A)) func(A) {
	if first == nil || second == nil {
		if first == nil {
			return second
		}
		return first
	}
	return func(a A) {
		first(a)
		second(a)
	}
}

func join2[A, B any](first, second func(A, B)) func(A, B) {
	if first == nil || second == nil {
		if first == nil {
			return second
		}
		return first
	}
	return func(a A, b B) {
		first(a, b)
		second(a, b)
	}
}
