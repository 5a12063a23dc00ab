package cypher

import "strings"

// refusedFunction returns why a known function of openCypher or of its dialects
// is not in the subset, "" for others; name is in lower case.
func refusedFunction(name string) string {
	if why, ok := refusedFunctions[name]; ok {
		return why
	}
	space, _, _ := strings.Cut(name, ".")
	switch space {
	case "apoc", "gds":
		return "a library of another database; see CALL db.procedures()"
	case "genai":
		return refusedFunctions[space]
	}
	return ""
}

// refusedForm returns the description of a call form that is not in the subset,
// "" for others; name is in lower case.
func refusedForm(name string, args []expr) string {
	switch {
	case name == "round" && len(args) == 3:
		return "round() with a mode; write ceil() or floor()"
	}
	return ""
}

const inAList = "write a list comprehension"

// refusedFunctions are the functions of openCypher, and some of its dialects,
// that the subset leaves out.
var refusedFunctions = map[string]string{
	"distance":        "write point.distance()",
	"genai":           "rag.ask and rag.retrieve are procedures",
	"file":            "COPY reads files",
	"linenumber":      "COPY reads files",
	"tobooleanlist":   inAList,
	"tofloatlist":     inAList,
	"tointegerlist":   inAList,
	"tostringlist":    inAList,
	"filter":          inAList,
	"extract":         inAList,
	"rels":            "write relationships()",
	"normalize":       "texts are kept as they were read",
	"valuetype":       "there are no types of values",
	"percentile_cont": "write percentileCont()",
	"percentile_disc": "write percentileDisc()",
	"stdev_samp":      "write stDev()",
	"stdev_pop":       "write stDevP()",
	"path_length":     "write length()",
	"cardinality":     "write size()",
	"local_datetime":  "write localdatetime()",
	"zoned_datetime":  "write datetime()",
	"allreduce":       "write reduce()",
	"byte_length":     "write size(), which counts characters",
	"octet_length":    "write size(), which counts characters",
}
