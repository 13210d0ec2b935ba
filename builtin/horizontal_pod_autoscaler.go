package builtin

import autoscalingv2 "k8s.io/api/autoscaling/v2"

var autoscalerCounters = []counter{{field: "currentReplicas"}, {field: "desiredReplicas", zero: true}}

var horizontalPodAutoscaler = kind{
	gvk:       autoscalingv2.SchemeGroupVersion.WithKind("HorizontalPodAutoscaler"),
	reflect:   pick(fields(autoscalerCounters)...),
	aggregate: aggregateCounters(autoscalerCounters),
}
