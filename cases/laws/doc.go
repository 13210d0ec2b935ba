// Package laws checks what every rule must hold to whatever it is about: it answers when fields are absent, gives the same
// answer again, leaves its inputs alone, and so on. Nobody has to write anything for it: the inputs of cases are the
// seed, and more are made of them by removing fields, mixing values and lengthening lists.
//
//	checker := laws.Checker{Rules: cases.Nearest(load, shipped), Seed: 1}
//	report, err := checker.Check(ctx, found)
//	for _, breach := range report.Breaches { ... }
//
// The same seed makes the same inputs. The inputs of a Breach are as small as those that still break the law, and can be
// saved as a case.
//
// A case says which laws need not hold for it, and why:
//
//	exempt:
//	  members-order: conditions are listed in the order of the members
package laws
