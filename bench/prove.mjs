// Questions about every run: configs of 100 tangled rules, and configs that people start with, with every rule enforced.
import fs from 'node:fs'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import { compileConfig } from '@signalbox/core'
import { celExpressions } from '@signalbox/core/expression'
import { prove } from '@signalbox/core/prove'
import { note, row, section } from './report.mjs'

const CONFIGS = 40
const RULES = 100
const TOOLS = Array.from({ length: 60 }, (_, i) => `t${i}`)
const MOST_MS = 5000
const EDITOR_STATES = 20_000

const expressions = celExpressions()

/** Numbers below `count`, the same for each seed. @param {number} seed */
function dice(seed) {
  let state = seed * 2_654_435_761 + 1
  return (/** @type {number} */ count) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * count)
  }
}

/** Half are plain orders, whose prerequisites point backwards, so that there is no cycle. @param {number} seed */
function makeTangle(seed) {
  const below = dice(seed)
  const policies = Array.from({ length: RULES }, (_, i) => {
    const id = `r${i}`
    const at = 1 + below(TOOLS.length - 1)
    const [tool, needed, other] = [TOOLS[at], TOOLS[below(at)], TOOLS[below(TOOLS.length)]]
    const order = { id, type: 'sequential_dependency', dependencies: { [tool]: [needed] } }
    const condition = { id, type: 'expression', tools: [tool] }
    const kind = below(10)
    if (kind < 5) return order
    if (kind < 7) return { ...order, after: [other === needed ? TOOLS.at(-1) : other] }
    if (kind < 8)
      return {
        ...condition,
        deny_when: `args.k.startsWith("p${i}") || calls.${other}.failed > 3`,
      }
    if (kind < 9)
      return { ...condition, deny_when: `args.k == "v${i}" && session.environment == "prod"` }
    return { id, type: 'rate_limit', tools: [tool], max_calls: 5, per_seconds: 60 }
  })
  const question = {
    ask: 'run_without',
    tool: TOOLS[40 + below(20)],
    needs: TOOLS[below(20)],
    ...(seed % 2 === 0 ? {} : { after: [TOOLS[20 + below(20)]] }),
  }
  return { policies, question }
}

function compiled(fields) {
  const document = { schema_version: 1, ns: 'bench', key: 'prove', ...fields }
  const result = compileConfig(document, { expressions, customTypes: 'any' })
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.config
}

function ask(config, question, mostStates) {
  const from = performance.now()
  const isAborted = () => performance.now() - from > MOST_MS
  const { answer } = prove(config, question, {
    isAborted,
    ...(mostStates === undefined ? {} : { mostStates }),
  })
  return { answer, ms: performance.now() - from }
}

function print(name, asked, bar) {
  const times = asked.map(({ ms }) => ms).sort((a, b) => a - b)
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))]
  const answers = [...new Set(asked.map(({ answer }) => answer))]
  const told = answers
    .map((one) => `${asked.filter(({ answer }) => answer === one).length} ${one}`)
    .join(', ')
  row(name, {
    figure: `p50 ${at(0.5).toFixed(0)}, p90 ${at(0.9).toFixed(0)}, max ${at(1).toFixed(0)} ms`,
    bars: [{ text: `p90 ≤ ${bar} ms`, met: at(0.9) <= bar }],
  })
  note(`${asked.length} questions: ${told}`)
}

const TEMPLATES = 'server/configs/templates'

function listTemplates() {
  const names = fs.readdirSync(TEMPLATES).filter((name) => !name.endsWith('.ts'))
  return names.map((name) => path.join(TEMPLATES, name, 'config.json'))
}

/** Configs that people start with. */
const USUAL = [
  ...listTemplates(),
  'examples/coding-agent/config.json',
  'examples/demo-agent/configs/release-notes.json',
]

/** Questions about the rules that a config has. */
function listQuestions({ policies = [], task_completion_checker: checker }) {
  const decisive = policies.map(({ id }) => ({ ask: 'decisive', rule: id }))
  const orders = policies.flatMap(({ dependencies = {}, after }) =>
    Object.entries(dependencies).flatMap(([tool, needed]) =>
      needed.map((needs) => ({ ask: 'run_without', tool, needs, after })),
    ),
  )
  const most = policies.flatMap(({ type, tools }) =>
    type === 'rate_limit' ? [{ ask: 'most_calls', tool: tools[0] }] : [],
  )
  const checks = checker?.checkers ?? [checker]
  const stops = checks.flatMap((check) =>
    check?.type === 'tool_succeeded'
      ? [{ ask: 'stop_without', needs: check.tool, after: check.after }]
      : [],
  )
  return [{ ask: 'trapped' }, ...decisive, ...orders, ...most, ...stops]
}

function askUsual() {
  return USUAL.flatMap((file) => {
    const text = fs.readFileSync(file, 'utf8')
    const fields = JSON.parse(text.replaceAll(/"mode": "shadow",?/g, ''))
    const config = compiled(fields)
    return listQuestions(fields).map((question) => ask(config, question, EDITOR_STATES))
  })
}

export async function run() {
  section('Prove: questions about every run')
  const tangled = Array.from({ length: CONFIGS }, (_, seed) => {
    const { policies, question } = makeTangle(seed)
    return ask(compiled({ policies }), question)
  })
  print(`${RULES} tangled rules over ${TOOLS.length} tools`, tangled, 1000)
  print(`${USUAL.length} usual configs, all rules enforced`, askUsual(), 50)
}
