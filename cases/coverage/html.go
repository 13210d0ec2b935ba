package coverage

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
)

//go:embed page.html
var page string

// htmlRule is a Rule as the page shows it.
type htmlRule struct {
	ID, Name, Language, Place string
	Lines, Branches           Share
	// Class is full, part or none.
	Class  string
	Script []htmlLine
}

type htmlLine struct {
	Number int
	Text   string
	Count  string
	Class  string
	Notes  []string
}

// HTML writes one page without anything from elsewhere: a table of the rules, and each script with its lines coloured.
func HTML(w io.Writer, rules []Rule) error {
	t, err := template.New("coverage").Parse(page)
	if err != nil {
		return err
	}
	data := struct {
		Total Total
		Rules []htmlRule
	}{Total: TotalOf(rules)}
	for i := range rules {
		data.Rules = append(data.Rules, htmlOf(&rules[i], i))
	}
	return t.Execute(w, data)
}

func htmlOf(r *Rule, index int) htmlRule {
	out := htmlRule{
		ID: fmt.Sprintf("rule-%d", index+1), Name: r.Source.Name(), Language: string(r.Source.Language),
		Place: r.Source.Position(1), Lines: r.LineShare(), Branches: r.BranchShare(),
	}
	counts := map[int]*Line{}
	for i := range r.Lines {
		counts[r.Lines[i].Number] = &r.Lines[i]
	}
	missed, anywhere := map[int][]string{}, false
	for _, b := range r.Branches {
		if b.Count > 0 {
			anywhere = true
			continue
		}
		if line := counts[b.Line]; line != nil && line.Count > 0 {
			note := "never " + b.Way
			if b.Text != "" {
				note += ": " + oneLine(b.Text)
			}
			missed[b.Line] = append(missed[b.Line], note)
		}
	}
	text := strings.TrimSuffix(r.Source.Text, "\n")
	for i, line := range strings.Split(text, "\n") {
		number := i + 1
		l := htmlLine{Number: r.Source.FileLine(number), Text: line, Notes: missed[number]}
		if known := counts[number]; known != nil {
			l.Count = fmt.Sprint(known.Count)
			switch {
			case known.Count == 0:
				l.Class = "none"
			case len(l.Notes) > 0:
				l.Class = "part"
			default:
				l.Class = "full"
			}
		}
		out.Script = append(out.Script, l)
	}
	switch share := r.Share(); {
	case share.Covered == share.Total && len(missed) == 0:
		out.Class = "full"
	case share.Covered > 0 || anywhere:
		out.Class = "part"
	default:
		out.Class = "none"
	}
	return out
}
