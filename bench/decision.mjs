// Cost of one decision in process: 100 rules, sessions of 10² to 10⁶ events; and replay in events a second.
import { compileConfig, initialState, step } from '@signalbox/core'
import { percentile, row, section } from './report.mjs'

const RULES = 100
const SAMPLES = 20_000

/** One rule in five concerns the measured tools, so twenty answer each call; `all` makes all hundred answer. */
function document(all) {
  const policies = Array.from({ length: RULES }, (_, i) => {
    const own = all || i % 10 < 2
    const suffix = own ? '' : `-${i}`
    return i % 2 === 0
      ? {
          id: `order-${i}`,
          type: 'sequential_dependency',
          dependencies: { [`write_file${suffix}`]: ['read_file'] },
        }
      : {
          id: `files-${i}`,
          type: 'read_before_write',
          read_tools: [`read_file${suffix}`],
          write_tools: [`write_file${suffix}`],
        }
  })
  return { schema_version: 1, ns: 'bench', key: 'rules', policies }
}

function compiled(all) {
  const result = compileConfig(document(all))
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.config
}

/** What an ordinary agent runs under: two policies, two providers, a plan check. */
function ordinary() {
  const result = compileConfig({
    schema_version: 1,
    ns: 'bench',
    key: 'ordinary',
    policies: document(true).policies.slice(0, 2),
    feedback_providers: [
      { id: 'deadline', type: 'deadline', trigger: { every_n_seconds: 30 } },
      {
        id: 'conventions',
        type: 'static',
        feedback: 'Read it.',
        trigger: { on_file_created: { filename: 'AGENTS.md' } },
      },
    ],
    task_completion_checker: { id: 'plan', type: 'plan' },
  })
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.config
}

let clock = 1_700_000_000_000
const event = (seq, type, data) => ({ session: 'sess_bench', seq, at: ++clock, type, data })
const facts = (path) => ({
  files: { [path]: { exists: true, kind: 'file', fingerprint: 'sha256:1' } },
})

/** One call is a request and its result: two events. Every third call reads, writes a read file, or builds. */
function callAt(index) {
  const path = `src/file-${index % 5000}.ts`
  if (index % 3 === 0) return { tool: 'read_file', args: { path }, facts: facts(path) }
  if (index % 3 === 1) return { tool: 'build', args: {}, facts: undefined }
  return {
    tool: 'write_file',
    args: { path: `src/file-${(index - 2) % 5000}.ts` },
    facts: facts(`src/file-${(index - 2) % 5000}.ts`),
  }
}

function grow(config, state, events) {
  for (let seq = state.seq + 1; seq <= events; seq += 2) {
    const { tool, args, facts: found } = callAt(seq >> 1)
    const call = { call_id: `c${seq}`, tool, facts: found }
    state = step(config, state, event(seq, 'tool.requested', { ...call, args })).state
    state = step(
      config,
      state,
      event(seq + 1, 'tool.invoked', { ...call, outcome: 'success' }),
    ).state
  }
  return state
}

function measure(config, state) {
  const path = 'src/file-0.ts'
  const write = { call_id: 'probe', tool: 'write_file', args: { path }, facts: facts(path) }
  const times = []
  for (let i = 0; i < SAMPLES; i++) {
    const asked = event(state.seq + 1, 'tool.requested', write)
    const from = process.hrtime.bigint()
    step(config, state, asked)
    times.push(Number(process.hrtime.bigint() - from) / 1000)
  }
  return times.sort((a, b) => a - b)
}

function decisions(all, answering) {
  section(`Decision in process: ${RULES} rules, ${answering} of them answer the call`)
  const config = compiled(all)
  let state = initialState(config.promptName)
  measure(config, grow(config, state, 100))
  let first
  for (const events of [100, 10_000, 1_000_000]) {
    if (all && events > 10_000) break
    state = grow(config, state, events)
    const times = measure(config, state)
    const p50 = percentile(times, 0.5)
    first ??= p50
    row(
      `after ${events.toLocaleString('en')} events`,
      `p50 ${p50.toFixed(2)} µs`,
      `p99 ${percentile(times, 0.99).toFixed(2)} µs`,
      `${(p50 / first).toFixed(2)}× the first`,
    )
  }
}

export function run() {
  decisions(false, 20)
  decisions(true, RULES)
  section('Replay in memory, one core, an ordinary config')
  const config = ordinary()
  grow(config, initialState(config.promptName), 100_000)
  const from = process.hrtime.bigint()
  grow(config, initialState(config.promptName), 1_000_000)
  const seconds = Number(process.hrtime.bigint() - from) / 1e9
  row('1,000,000 events', `${Math.round(1_000_000 / seconds).toLocaleString('en')} events/s`)
}
