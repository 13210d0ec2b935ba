package customizations

import (
	"github.com/dragoman-io/dragoman/customizations/script"
)

// Stats is what a Set holds.
type Stats struct {
	// Customizations is how many there are.
	Customizations int
	// Rules are the rules of the customizations by the language of their scripts.
	Rules map[script.Language]RuleStats
	// Pools are what the engines keep for runs, for those that keep anything.
	Pools map[script.Language]script.Pool
}

// RuleStats is how many rules there are, by what became of them.
type RuleStats struct {
	// Ready are compiled, Failed did not compile and answer with their error, Waiting will be compiled when they are first
	// asked (Options.Lazy).
	Ready, Failed, Waiting int
	// SourceBytes is the length of all scripts.
	SourceBytes int64
}

// Stats counts what s holds. It takes time in proportion to that.
func (s *Set) Stats() Stats {
	stats := Stats{
		Customizations: s.count,
		Rules:          map[script.Language]RuleStats{},
		Pools:          map[script.Language]script.Pool{},
	}
	for language, engine := range s.options.Engines {
		stats.Rules[language] = RuleStats{}
		if pooled, ok := engine.(script.Pooled); ok {
			stats.Pools[language] = pooled.Pool()
		}
	}
	for _, c := range s.byName.all() {
		for _, r := range c.rules {
			if r == nil {
				continue
			}
			n := stats.Rules[r.source.Language]
			n.SourceBytes += int64(len(r.source.Text))
			switch l := r.done.Load(); {
			case l == nil:
				n.Waiting++
			case l.err != nil:
				n.Failed++
			default:
				n.Ready++
			}
			stats.Rules[r.source.Language] = n
		}
	}
	return stats
}

// Add adds the customizations and rules of other to s. Pools stay as they are: sets with the same engines share them.
func (s *Stats) Add(other Stats) {
	s.Customizations += other.Customizations
	for language, more := range other.Rules {
		n := s.Rules[language]
		n.Ready += more.Ready
		n.Failed += more.Failed
		n.Waiting += more.Waiting
		n.SourceBytes += more.SourceBytes
		s.Rules[language] = n
	}
}
