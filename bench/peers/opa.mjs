// The compiled policy is in opa/, because no npm package contains OPA's compiler; an `opa` program on PATH compiles it again. OPA keeps no
// session, so the host passes it with every question, in the same two ways as for Cedar.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { loadPolicy } from '@open-policy-agent/opa-wasm'
import { rulesDocument } from '../base/rules.mjs'
import { describeExistence, describeSeen, READERS } from './question.mjs'

const FOLDER = path.join(import.meta.dirname, 'opa')

/** `facts`: the host looks up one word per reading tool. `session`: the host passes all reads of the session. */
const STYLES = {
  facts: {
    name: '@open-policy-agent/opa-wasm, the call’s facts only',
    seen: 'input[reader] == "current"',
    prepare: ({ notes }) => {
      const succeeded = [...notes.succeeded]
      return (call) => ({
        ...Object.fromEntries(READERS.map((reader) => [reader, describeSeen(notes, reader, call)])),
        tool: call.tool,
        exists: describeExistence(call.fact),
        succeeded,
      })
    },
  },
  session: {
    name: '@open-policy-agent/opa-wasm, the session as input',
    seen: 'input[reader][input.path] == input.fingerprint',
    prepare: ({ notes }) => {
      const read = READERS.map((reader) => [reader, Object.fromEntries(notes.seen[reader])])
      const session = { ...Object.fromEntries(read), succeeded: [...notes.succeeded] }
      return ({ tool, path: file, fact }) => ({
        ...session,
        tool,
        path: file,
        exists: describeExistence(fact),
        fingerprint: fact.fingerprint ?? '',
      })
    },
  },
}

function toRego(document, style) {
  const head = `package ${style}

default allow := false

allow if count(deny) == 0

content_known(reader) if input.exists == "no"

content_known(reader) if {
	input.exists == "file"
	${STYLES[style].seen}
}
`
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
  return [head, ...rules].join('\n')
}

function denial(id, tool, condition) {
  return `deny contains "${id}" if {\n\tinput.tool == "${tool}"\n\t${condition}\n}\n`
}

function toRegoFile(style) {
  return `${style}.rego`
}

function toRegoSources(document) {
  return Object.keys(STYLES).map((style) => ({
    file: toRegoFile(style),
    text: toRego(document, style),
  }))
}

function writeSources(folder, document) {
  for (const { file, text } of toRegoSources(document))
    fs.writeFileSync(path.join(folder, file), text)
}

function compiledAfresh(document) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-opa-'))
  try {
    writeSources(folder, document)
    const entries = Object.keys(STYLES).flatMap((style) => ['-e', `${style}/allow`])
    const files = Object.keys(STYLES).map(toRegoFile)
    for (const [program, ...args] of [
      ['opa', 'build', '-t', 'wasm', ...entries, '-o', 'bundle.tar.gz', ...files],
      ['tar', '-xzf', 'bundle.tar.gz', '/policy.wasm'],
    ]) {
      const { status, stderr } = spawnSync(program, args, { cwd: folder, encoding: 'utf8' })
      if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}`)
    }
    return fs.readFileSync(path.join(folder, 'policy.wasm'))
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

/** Throws when the rules changed after the policy was compiled: then it would answer another question. */
function compiledBefore(document) {
  for (const { file, text } of toRegoSources(document)) {
    if (fs.readFileSync(path.join(FOLDER, file), 'utf8') !== text) {
      throw new Error(
        `bench/peers/opa/${file} does not match the rules: compile it again, see README.md there.`,
      )
    }
  }
  return fs.readFileSync(path.join(FOLDER, 'policy.wasm'))
}

export async function opa(document) {
  const here = spawnSync('opa', ['version']).status === 0
  const module = await WebAssembly.compile(
    here ? compiledAfresh(document) : compiledBefore(document),
  )
  return Promise.all(Object.keys(STYLES).map((style) => openOpaEngine(module, style)))
}

async function openOpaEngine(module, style) {
  const { name, prepare } = STYLES[style]
  const policy = await loadPolicy(module)
  const entry = `${style}/allow`
  return { name, prepare, ask: (input) => policy.evaluate(input, entry)[0]?.result === true }
}

if (process.argv[1] === import.meta.filename) writeSources(FOLDER, rulesDocument())
