#!/usr/bin/env bash
# A tour of a federation that runs on this machine. From the repository's folder:
#
#   go run ./cmd/dragoman up --apply examples/federation,examples/flink/crd.yaml,examples/flink/basic.yaml -- examples/federation/tour.sh
set -euo pipefail

bold='' plain=''
if [[ -t 1 && -z ${NO_COLOR-} ]]; then bold=$'\033[1m' plain=$'\033[0m'; fi
say() { printf '\n%s# %s%s\n' "$bold" "$*" "$plain"; }
run() { printf '$ %s\n' "$*"; "$@"; }

# health prints what the members' FlinkDeployments are judged to be.
health() { kubectl get resourcebinding basic-flinkdeployment -n streaming -o jsonpath='{range .status.aggregatedStatus[*]}{.clusterName}={.health} {end}'; }

# becomes waits until health says so and prints how long that took.
becomes() {
  local began=${EPOCHREALTIME/./}
  until [[ $(health) == "$1" ]]; do
    ((${EPOCHREALTIME/./} - began < 30000000)) || { echo "still: $(health)" >&2; exit 1; }
  done
  echo "$1after $(((${EPOCHREALTIME/./} - began) / 1000)) ms"
}

say "A control plane and its members"
run kubectl wait --for=condition=Ready cluster --all --timeout=60s
run kubectl get clusters

say "A Deployment of six replicas, divided among the members, and a FlinkDeployment in each of them"
run kubectl wait --for=jsonpath='{.status.readyReplicas}'=6 deployment/web -n shop --timeout=60s
run kubectl wait --for=jsonpath='{.status.jobStatus.state}'=RUNNING flinkdeployment/basic -n streaming --timeout=60s
for context in control-plane member1 member2; do
  run kubectl --context "$context" get deployments,flinkdeployments -A
done

say "What the FlinkDeployment in member1 means, asked live"
run dragoman interpret flinkdeployment/basic -n streaming --context member1 --operation InterpretComponent
run dragoman interpret flinkdeployment/basic -n streaming --context member1 --operation InterpretHealth
becomes "member1=Healthy member2=Healthy "

say "A rule of our own: no job is healthy with less than four parallel subtasks"
rule=$(cat <<RULE
apiVersion: config.karmada.io/v1alpha1
kind: ResourceInterpreterCustomization
metadata:
  name: flink-health
spec:
  target:
    apiVersion: flink.apache.org/v1beta1
    kind: FlinkDeployment
  customizations:
    healthInterpretation:
      celExpression: object.spec.job.parallelism >= 4
RULE
)
echo "$rule"
kubectl apply -f - <<<"$rule"
becomes "member1=Unhealthy member2=Unhealthy "
run kubectl get resourceinterpretercustomizations

say "The rule is edited: two are enough"
run kubectl patch resourceinterpretercustomization flink-health --type merge -p \
  '{"spec":{"customizations":{"healthInterpretation":{"celExpression":"object.spec.job.parallelism >= 2"}}}}'
becomes "member1=Healthy member2=Healthy "

say "A mistake is told when it is made"
run kubectl patch resourceinterpretercustomization flink-health --type merge -p \
  '{"spec":{"customizations":{"healthInterpretation":{"celExpression":"object.spec.job.parallelism >="}}}}' || true

say "Everything that was propagated leaves with its template"
run kubectl delete deployment web -n shop
run kubectl --context member1 wait --for=delete deployment/web -n shop --timeout=60s
