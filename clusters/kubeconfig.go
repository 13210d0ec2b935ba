package clusters

import (
	"fmt"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// addContext adds a cluster, a user and a context of the same name to a kubeconfig.
func addContext(config *clientcmdapi.Config, name, server string, authority []byte, user pair) {
	cluster := clientcmdapi.NewCluster()
	cluster.Server = server
	cluster.CertificateAuthorityData = authority
	config.Clusters[name] = cluster

	auth := clientcmdapi.NewAuthInfo()
	auth.ClientCertificateData = user.cert
	auth.ClientKeyData = user.key
	config.AuthInfos[name] = auth

	context := clientcmdapi.NewContext()
	context.Cluster, context.AuthInfo = name, name
	config.Contexts[name] = context
	if config.CurrentContext == "" {
		config.CurrentContext = name
	}
}

// writeKubeconfig writes a kubeconfig that only its owner may read.
func writeKubeconfig(config *clientcmdapi.Config, path string) error {
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		return fmt.Errorf("write kubeconfig %s: %w", path, err)
	}
	return nil
}

// restConfig returns the configuration of a client that does not throttle itself.
func restConfig(server string, authority []byte, user pair) *rest.Config {
	return &rest.Config{
		Host: server,
		TLSClientConfig: rest.TLSClientConfig{
			CAData:   authority,
			CertData: user.cert,
			KeyData:  user.key,
		},
		QPS: -1,
	}
}
