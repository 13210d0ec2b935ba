{{- /* The name of everything that there is one of: the release's name, unless that says nothing more than the chart's. */ -}}
{{- define "dragoman.name" -}}
{{- if contains "dragoman" .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-dragoman{{ end }}
{{- end -}}

{{- define "dragoman.selector" -}}
app.kubernetes.io/name: dragoman
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "dragoman.labels" -}}
{{ include "dragoman.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/part-of: dragoman
{{- end -}}

{{- /* Two clusters that have halves of the chart each. */ -}}
{{- define "dragoman.halves" -}}
{{- if and .Values.webhooks.enabled (not .Values.webhooks.url) (or .Values.controlPlane.kubeconfigSecret (not .Values.controllers.enabled)) }}
{{- fail "webhooks.url: want the URL by which the control plane reaches the webhooks of controllers that run in another cluster, or webhooks.enabled false" }}
{{- end }}
{{- if and .Values.controlPlane.kubeconfigSecret (not .Values.controllers.enabled) }}
{{- fail "controlPlane.kubeconfigSecret: want none in the control plane itself, where controllers.enabled is false" }}
{{- end }}
{{- end -}}
