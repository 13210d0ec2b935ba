// Package certificates keeps the serving certificate of the admission webhooks in a Secret, which all replicas share, and the
// webhook configurations' caBundle in step with it. No other software has to issue certificates.
//
//	keeper, err := certificates.New(certificates.Options{Client: direct, Secret: name, Hosts: []string{"dragoman.dragoman-system.svc"}})
//	if err != nil {
//		return err
//	}
//	if err := keeper.Ensure(ctx); err != nil {
//		return err
//	}
//	server.TLSConfig = &tls.Config{GetCertificate: keeper.GetCertificate}
//	mgr.Add(keeper) // renews in time, and takes over what other replicas renew
package certificates
