// Compiles the Rego in this folder to policy.wasm with OPA's own compiler, for machines without an opa program but with Debian's OPA
// library (README.md). Equals: opa build -t wasm -e facts/allow -e session/allow facts.rego session.rego
package main

import (
	"context"
	"log"
	"os"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/compile"
)

func main() {
	compiler := compile.New().
		WithTarget(compile.TargetWasm).
		WithEntrypoints("facts/allow", "session/allow").
		WithPaths("facts.rego", "session.rego").
		WithRegoVersion(ast.RegoV1)
	if err := compiler.Build(context.Background()); err != nil {
		log.Fatal(err)
	}
	for _, module := range compiler.Bundle().WasmModules {
		if err := os.WriteFile("policy.wasm", module.Raw, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
