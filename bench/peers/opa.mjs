// Open Policy Agent as WebAssembly. Only the `opa` program can compile Rego to wasm, and no package registry that a clone may
// reach has it: with `opa` on the PATH it takes part, otherwise the bench says why it does not.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { loadPolicy } from '@open-policy-agent/opa-wasm'
import { existenceOf, READERS, seenOf } from './question.mjs'

const HEAD = `package bench

import rego.v1

default allow := false

allow if count(deny) == 0

content_known(reader) if input.exists == "no"

content_known(reader) if {
	input.exists == "file"
	input[reader] == "current"
}
`

/** One Rego rule for each rule of the document, over the facts that the host picked out for the call. */
function regoOf(document) {
  const rules = document.policies.flatMap((rule) =>
    rule.type === 'sequential_dependency'
      ? Object.entries(rule.dependencies).flatMap(([tool, needed]) =>
          needed.map((one) => denial(rule.id, tool, `not "${one}" in input.succeeded`)),
        )
      : rule.write_tools.map((tool) =>
          denial(
            rule.id,
            tool,
            rule.read_tools.map((reader) => `not content_known("${reader}")`).join('\n\t'),
          ),
        ),
  )
  return [HEAD, ...rules].join('\n')
}

function denial(id, tool, condition) {
  return `deny contains "${id}" if {\n\tinput.tool == "${tool}"\n\t${condition}\n}\n`
}

function compile(document, folder) {
  fs.writeFileSync(path.join(folder, 'policy.rego'), regoOf(document))
  for (const [program, ...args] of [
    ['opa', 'build', '-t', 'wasm', '-e', 'bench/allow', '-o', 'bundle.tar.gz', 'policy.rego'],
    ['tar', '-xzf', 'bundle.tar.gz', '/policy.wasm'],
  ]) {
    const { status, stderr } = spawnSync(program, args, { cwd: folder, encoding: 'utf8' })
    if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}`)
  }
  return fs.readFileSync(path.join(folder, 'policy.wasm'))
}

/** `engine` null: there is no compiler here, `reason` says it. */
export async function opa(document) {
  if (spawnSync('opa', ['version']).status !== 0) {
    const reason =
      '@open-policy-agent/opa-wasm 1.10.0: runs what the opa program compiled, and opa is not on the PATH (npm and Debian have neither it nor an evaluator of Rego).'
    return { engine: null, reason }
  }
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-opa-'))
  try {
    const policy = await loadPolicy(compile(document, folder))
    return { engine: engineOf(policy), reason: null }
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

function engineOf(policy) {
  return {
    name: '@open-policy-agent/opa-wasm, the call’s facts only',
    prepare: ({ notes }) => {
      const succeeded = [...notes.succeeded]
      return (call) => ({
        tool: call.tool,
        exists: existenceOf(call.fact),
        succeeded,
        ...Object.fromEntries(READERS.map((reader) => [reader, seenOf(notes, reader, call)])),
      })
    },
    ask: (input) => policy.evaluate(input)[0]?.result === true,
  }
}
