import { compileConfig, step } from '@signalbox/core'

export const RULES = 100
const PATHS = 5000
const NEEDED = ['lint', 'build', 'test']
const READERS = ['read_file', 'open_file']

/** Half of the rules require an order, half a read file. One in five applies to `write_file`; with `all`, every one does. */
export function rulesDocument({ all = false } = {}) {
  const policies = Array.from({ length: RULES }, (_, i) => {
    const tool = all || i % 10 < 2 ? 'write_file' : `write_file-${i}`
    const kind = i >> 1
    return i % 2 === 0
      ? {
          id: `order-${i}`,
          type: 'sequential_dependency',
          dependencies: { [tool]: [NEEDED[kind % NEEDED.length]] },
        }
      : {
          id: `files-${i}`,
          type: 'read_before_write',
          read_tools: [READERS[kind % READERS.length]],
          write_tools: [tool],
        }
  })
  return { schema_version: 1, ns: 'bench', key: 'rules', policies }
}

export function ordinaryDocument() {
  return {
    schema_version: 1,
    ns: 'bench',
    key: 'ordinary',
    policies: [
      { id: 'order', type: 'sequential_dependency', dependencies: { write_file: ['read_file'] } },
      {
        id: 'files',
        type: 'read_before_write',
        read_tools: READERS,
        write_tools: ['write_file'],
      },
    ],
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
  }
}

export function compiled(document) {
  const result = compileConfig(document)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.config
}

export function buildPath(index) {
  return `src/file-${index % PATHS}.ts`
}

export function fileFacts(path, fact = { exists: true, kind: 'file', fingerprint: 'sha256:1' }) {
  return { files: { [path]: fact } }
}

const STARTED_AT = 1_700_000_000_000

export function buildEvent(seq, type, data) {
  return { session: 'sess_bench', seq, at: STARTED_AT + seq * 7, type, data }
}

const TURN = ['read_file', 'open_file', 'lint', 'build', 'test', 'write_file']

function callAt(index) {
  const tool = TURN[index % TURN.length] ?? 'lint'
  if (!tool.endsWith('_file')) return { tool, args: {}, facts: undefined }
  const path = buildPath(Math.floor(index / TURN.length))
  return { tool, args: { path }, facts: fileFacts(path) }
}

/** Folds calls, each a request and its success, until the session has `events` events. */
export function grow(config, state, events) {
  let grown = state
  for (let seq = grown.seq + 1; seq < events; seq += 2) {
    const { tool, args, facts } = callAt((seq - 1) >> 1)
    const call = { call_id: `c${seq}`, tool, facts }
    grown = step(config, grown, buildEvent(seq, 'tool.requested', { ...call, args })).state
    const result = { ...call, outcome: 'success' }
    grown = step(config, grown, buildEvent(seq + 1, 'tool.invoked', result)).state
  }
  return grown
}

/** Log of such a session as a runtime records it, with decisions and feedback: at least `events` events. */
export function recordedLog(config, initial, events) {
  const log = []
  let state = initial
  const record = (type, data) => {
    const event = buildEvent(log.length + 1, type, data)
    log.push(event)
    const { state: next, effects } = step(config, state, event)
    state = next
    for (const { kind, data: decided } of effects) {
      if (kind === 'tool.decided') record(kind, decided)
      else if (kind === 'feedback.delivered') record(kind, { ...decided, delivery: 'in_result' })
    }
  }
  record('session.started', {
    ns: 'bench',
    key: 'ordinary',
    environment: 'dev',
    harness: { name: 'bench' },
    deadline_at: STARTED_AT + 1e9,
  })
  for (let i = 0; log.length < events; i++) {
    const { tool, args, facts } = callAt(i)
    const call = { call_id: `c${i}`, tool, facts }
    record('tool.requested', { ...call, args })
    record('tool.invoked', { ...call, outcome: 'success', output: 'ok', duration_ms: 3 })
  }
  return log
}

/** Runs `ask` for each index and returns the times in µs, ascending. */
export function measureTimes(samples, ask) {
  const times = new Float64Array(samples)
  for (let i = 0; i < samples; i++) {
    const from = process.hrtime.bigint()
    ask(i)
    times[i] = Number(process.hrtime.bigint() - from) / 1000
  }
  return times.sort()
}
