# The image that the Helm chart runs: one static program and the certificate authorities that it trusts, nothing else.
# It is built for the platform that is asked for on the one that builds: `make image`, or docker buildx build --platform ... .
FROM --platform=$BUILDPLATFORM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
# With .git: the program says which commit it is of.
COPY . .
ARG TARGETOS TARGETARCH
RUN GOOS=$TARGETOS GOARCH=$TARGETARCH CGO_ENABLED=0 go build -trimpath -ldflags=-s -o /dragoman ./cmd/dragoman

FROM scratch
LABEL org.opencontainers.image.title="dragoman" \
      org.opencontainers.image.source="https://github.com/dragoman-io/dragoman" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /dragoman /dragoman
USER 65532:65532
ENTRYPOINT ["/dragoman"]
