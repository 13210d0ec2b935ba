// Package webhook asks the questions of package interpreter over HTTP, and answers them: the interpreter webhook
// protocol of Karmada, ResourceInterpreterContext of config.karmada.io/v1alpha1, both ways. Webhooks written for Karmada
// answer a Set; a Handler answers Karmada.
//
// # Asking
//
// A Set is the Interpreter that ResourceInterpreterWebhookConfigurations describe:
//
//	set := webhook.New(configurations, webhook.Options{Services: services})
//	chain := interpreter.Chain{customizations, set, catalogue, builtin.Interpreter{}}
//
// When the configurations change, set.Replace makes the next Set, which keeps the connections that are still wanted.
//
// # Answering
//
// Handler serves any Interpreter. An operator's author writes a Kind: functions on the operator's own Go types, one for
// each operation that matters, and a Server in front of it:
//
//	workload := webhook.Kind[Workload, WorkloadStatus]{
//		Kind:   schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Workload"},
//		Revise: func(_ context.Context, w *Workload, replicas int32) error { w.Spec.Replicas = &replicas; return nil },
//	}
//	server := &webhook.Server{Interpreter: workload, Certificate: certificate.Certificate}
//	err := server.Serve(ctx, listener)
//
// # The wire
//
// A question is a POST of application/json; the HTTP status of an answer is 200 always. EncodeRequest, DecodeRequest,
// EncodeResponse and DecodeResponse are the wire's encoding alone. An object travels losslessly; a changed object comes
// back as a JSON patch (RFC 6902) of the one that was sent. Beyond the protocol, and ignored by those who do not know it,
// go: health (state and message beside healthy), the reason of a status, and cluster and targets of a request.
package webhook
