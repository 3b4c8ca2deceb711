import fc from 'fast-check'
import { expect, it } from 'vitest'
import { factsNeeded, normalizePath } from '../host/index.ts'
import {
  type ConfigDocument,
  compileConfig,
  type Facts,
  initialState,
  type JsonObject,
  type SessionEvent,
  type SessionState,
  step,
} from '../index.ts'

type Body = Pick<SessionEvent, 'type' | 'data'>

const STARTED = { ns: 'a', key: 'b', environment: 'dev', harness: { name: 't' } }

function createFoldedSession(rules: Partial<ConfigDocument>, semantics = 2) {
  const compiled = compileConfig({ schema_version: 1, ns: 'a', key: 'b', ...rules })
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems))
  const { config } = compiled
  let state: SessionState = initialState(config.promptName)
  const send = (body: Body) => {
    // Every body is written with the data of its type.
    const event = { session: 'sess_1', seq: state.seq + 1, at: 1_000, ...body } as SessionEvent
    const next = step(config, state, event)
    const needs = factsNeeded(config, state, event)
    state = next.state
    return { needs, effects: next.effects }
  }
  send({ type: 'session.started', data: { ...STARTED, semantics } })
  return send
}

const FILES: Partial<ConfigDocument> = {
  policies: [
    { id: 'files', type: 'read_before_write', read_tools: ['read'], write_tools: ['write'] },
  ],
}

function isAllowed(args: JsonObject, facts: Facts, semantics = 2): boolean {
  const { effects } = createFoldedSession(
    FILES,
    semantics,
  )({ type: 'tool.requested', data: { call_id: 'c', tool: 'write', args, facts } })
  return effects.some(({ kind, data }) => kind === 'tool.decided' && data.decision === 'allowed')
}

const exists = fc.constantFrom(true, false, 'unknown' as const)
const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1 })

it('a write with several paths is allowed exactly when each path alone would be allowed', () => {
  fc.assert(
    fc.property(
      names,
      fc.tuple(exists, exists, exists, exists),
      fc.boolean(),
      (paths, there, list) => {
        const files = Object.fromEntries(
          'abcd'.split('').map((name, i) => [name, { exists: there[i] ?? 'unknown' }]),
        )
        const [first, ...rest] = paths
        const args =
          list || first === undefined ? { path: paths } : { path: first, file_path: rest }
        const alone = paths.every((path) => isAllowed({ path }, { files }))
        expect(isAllowed(args, { files })).toBe(alone)
      },
    ),
  )
})

it('reading a missing or unknown file never allows overwriting it once it exists', () => {
  const found = fc.constantFrom(false, 'unknown' as const)
  const outcome = fc.constantFrom('success', 'failure', 'unknown')
  fc.assert(
    fc.property(fc.array(fc.tuple(found, outcome), { maxLength: 5 }), (reads) => {
      const send = createFoldedSession(FILES)
      for (const [i, [there, ended]] of reads.entries()) {
        const call = { call_id: `r${i}`, tool: 'read' }
        send({ type: 'tool.requested', data: { ...call, args: { path: 'a' } } })
        const facts = { files: { a: { exists: there } } }
        // One of the possible outcomes of the event.
        send({ type: 'tool.invoked', data: { ...call, outcome: ended, facts } } as Body)
      }
      const facts = { files: { a: { exists: true } } }
      const { effects } = send({
        type: 'tool.requested',
        data: { call_id: 'w', tool: 'write', args: { path: 'a' }, facts },
      })
      expect(effects[0]?.data).toMatchObject({ decision: 'denied' })
    }),
  )
})

const segment = fc.constantFrom('a', 'b', '..', '.', '')

it('a path is accepted only when every folder that it leaves by ".." is known not to be a link', () => {
  fc.assert(
    fc.property(
      fc.array(segment, { minLength: 1, maxLength: 8 }),
      fc.boolean(),
      (parts, unknown) => {
        const path = parts.join('/')
        const call = { call_id: 'c', tool: 'write', args: { path } }
        const { needs } = createFoldedSession(FILES)({ type: 'tool.requested', data: call })
        const normal = normalizePath(path, { workspaceRoot: null, mountPoint: null })
        const files = normal === null ? {} : { [normal]: { exists: false } }
        const links = Object.fromEntries(needs.links.map((folder) => [folder, false]))
        expect(isAllowed({ path }, { files, links })).toBe(normal !== null)
        for (const folder of needs.links) {
          const one = { ...links, [folder]: unknown ? ('unknown' as const) : true }
          expect(isAllowed({ path }, { files, links: one })).toBe(false)
          expect(isAllowed({ path }, { files, links: one }, 1)).toBe(normal !== null)
        }
      },
    ),
  )
})

it('an incomplete stop is bypassed exactly when a budget dimension has reached its limit', () => {
  const limit = fc.option(fc.integer({ min: 1, max: 20 }))
  const used = fc.nat(12)
  const spending = fc.record({
    total: limit,
    inputs: limit,
    outputs: limit,
    input: used,
    output: used,
  })
  fc.assert(
    fc.property(spending, ({ total, inputs, outputs, input, output }) => {
      const send = createFoldedSession({
        task_completion_checker: { id: 'done', type: 'files_exist', files: ['report.md'] },
      })
      const budget = {
        ...(total === null ? {} : { max_total_tokens: total }),
        ...(inputs === null ? {} : { max_input_tokens: inputs }),
        ...(outputs === null ? {} : { max_output_tokens: outputs }),
      }
      send({ type: 'session.started', data: { ...STARTED, budget } })
      const usage = { evaluation_id: 'e', input_tokens: input, output_tokens: output }
      send({ type: 'usage.recorded', data: usage })
      const { effects } = send({ type: 'stop.attempted', data: { via: 'turn_end' } })
      const isSpent =
        input + output >= (total ?? Number.POSITIVE_INFINITY) ||
        input >= (inputs ?? Number.POSITIVE_INFINITY) ||
        output >= (outputs ?? Number.POSITIVE_INFINITY)
      expect(effects[0]?.data).toMatchObject(
        isSpent ? { verdict: 'bypassed', bypass: 'budget' } : { verdict: 'blocked' },
      )
    }),
  )
})
