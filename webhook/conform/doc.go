// Package conform checks a running interpreter webhook against the protocol: it puts generated questions to it, well-formed
// and not, of every operation, and reports what the webhook gets wrong.
//
//	report, err := conform.Run(ctx, "https://127.0.0.1:9443/interpret", conform.Options{Objects: objects, TLS: config})
//	if err != nil { ... }            // nobody answered at all
//	if report.Failed() > 0 { ... }
//
// What fails would be an error to the control plane, or worse, a wrong answer: an HTTP status other than 200, an answer
// that does not repeat the uid, a field of the operation missing, a patch that does not apply or changes which object it
// is, success for a question that nobody can understand. What is merely unwise is a warning. Questions about kinds that the
// webhook does not answer are skipped, and so are operations that it declines.
package conform
