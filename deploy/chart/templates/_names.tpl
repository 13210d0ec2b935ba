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
