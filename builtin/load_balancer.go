package builtin

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/interpreter/value"
	"github.com/dragoman-io/dragoman/status"
)

// aggregateLoadBalancer replaces the status with one load balancer that has the addresses of all members', each once and
// sorted. What two members say otherwise about an address is said by the one whose name sorts first.
func aggregateLoadBalancer(copied map[string]any, items []interpreter.StatusItem) error {
	items = status.ByCluster(items)
	var addresses addressList
	for i := range items {
		item := &items[i]
		balancer, err := value.Map(item.Status, "loadBalancer")
		if err != nil {
			return status.InStatus(item, err)
		}
		if err := value.Each(balancer, "ingress", addresses.add); err != nil {
			return status.In(item, value.In("status.loadBalancer", err))
		}
	}
	balancer := map[string]any{}
	setList(balancer, "ingress", addresses.sorted())
	copied["status"] = map[string]any{"loadBalancer": balancer}
	return nil
}

// address is an address of a load balancer.
type address struct {
	hostname, ip, mode string
	entry              map[string]any
}

// same tells whether a and b are one address.
func (a *address) same(b *address) bool {
	return a.hostname == b.hostname && a.ip == b.ip && a.mode == b.mode
}

// addressList is addresses, each once.
type addressList []address

// add adds a copy of entry, or its ports to the same address that is there already.
func (l *addressList) add(entry map[string]any) error {
	if entry == nil {
		return nil
	}
	a := address{entry: entry}
	for _, f := range [...]struct {
		field string
		text  *string
	}{{"hostname", &a.hostname}, {"ip", &a.ip}, {"ipMode", &a.mode}} {
		var err error
		if *f.text, err = value.String(entry, f.field); err != nil {
			return err
		}
	}
	if err := value.Each(entry, "ports", checkPort); err != nil {
		return err
	}
	for i := range *l {
		if old := &(*l)[i]; old.same(&a) {
			addPorts(old.entry, entry)
			return nil
		}
	}
	a.entry = value.CopyMap(entry)
	*l = append(*l, a)
	return nil
}

func checkPort(port map[string]any) error {
	if _, _, err := value.Int(port, "port"); err != nil {
		return err
	}
	_, err := value.String(port, "protocol")
	return err
}

// addPorts adds copies of the ports of entry that old does not have.
func addPorts(old, entry map[string]any) {
	ports, _ := old["ports"].([]any)
	more, _ := entry["ports"].([]any)
	for _, port := range more {
		if !slices.ContainsFunc(ports, func(p any) bool { return reflect.DeepEqual(p, port) }) {
			ports = append(ports, value.Copy(port))
		}
	}
	if len(ports) > 0 {
		old["ports"] = ports
	}
}

// sorted returns the entries by hostname, address and mode, their ports by number and protocol.
func (l addressList) sorted() []any {
	slices.SortFunc(l, func(a, b address) int {
		return cmp.Or(cmp.Compare(a.hostname, b.hostname), cmp.Compare(a.ip, b.ip), cmp.Compare(a.mode, b.mode))
	})
	out := make([]any, len(l))
	for i, a := range l {
		if ports, _ := a.entry["ports"].([]any); len(ports) > 1 {
			slices.SortStableFunc(ports, comparePorts)
		}
		out[i] = a.entry
	}
	return out
}

func comparePorts(a, b any) int {
	p, _ := a.(map[string]any)
	q, _ := b.(map[string]any)
	n, _ := value.Whole(p["port"])
	m, _ := value.Whole(q["port"])
	protocol, _ := p["protocol"].(string)
	other, _ := q["protocol"].(string)
	return cmp.Or(cmp.Compare(n, m), cmp.Compare(protocol, other))
}

// loadBalancerHealth is healthy when the load balancer has an address.
func loadBalancerHealth(object map[string]any) (interpreter.Health, error) {
	balancer, err := value.MapAt(object, "status", "loadBalancer")
	if err != nil {
		return interpreter.Health{}, err
	}
	found := false
	err = value.Each(balancer, "ingress", func(entry map[string]any) error {
		hostname, err := value.String(entry, "hostname")
		if err != nil {
			return err
		}
		ip, err := value.String(entry, "ip")
		found = found || hostname != "" || ip != ""
		return err
	})
	if err != nil {
		return interpreter.Health{}, value.In("status.loadBalancer", err)
	}
	if !found {
		return interpreter.Health{State: interpreter.Progressing, Message: "the load balancer has no address yet"}, nil
	}
	return interpreter.Health{State: interpreter.Healthy}, nil
}
