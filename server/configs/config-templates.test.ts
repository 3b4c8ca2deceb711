// An example session that differs from its recording fails. `npm run emit:templates` records the sessions again (specs/templates.md).
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import {
  type CheckResult,
  type ConfigDocument,
  compileConfig,
  type FileFact,
  type JsonObject,
  type SessionEvent,
} from '@signalbox/core'
import { celExpressions } from '@signalbox/core/expression'
import { lintConfig } from '@signalbox/core/lint'
import { prove } from '@signalbox/core/prove'
import { createGuardrails, type GuardedSession } from '@signalbox/runtime'
import { parseConfigText } from '@signalbox/wire'
import { describe, expect, inject, test } from 'vitest'
import { IS_SOAK } from '@/scripts/soak-sample.mjs'
import { enforceRules, listTemplates, TEMPLATE_NAMES, templateText } from './config-templates.ts'
import { checkConfigText } from './config-text.ts'
import { TEMPLATES } from './templates/all.ts'
import type { Move, Template } from './templates/template.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** True: the recorded sessions are written, not compared. */
    readonly isTemplateUpdate: boolean
  }
}

const FOLDER = path.join(import.meta.dirname, 'templates')
const EXPRESSIONS = celExpressions()
const START = Date.UTC(2026, 10, 3, 9, 0)
const STEP_MS = 1_400
const CALL_MS = 200

function parse(document: JsonObject): ConfigDocument {
  const parsed = parseConfigText(JSON.stringify(document))
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message)
  return parsed.document
}

interface Stage {
  readonly files: Readonly<Record<string, string>>
  readonly moves: readonly Move[]
  /** Absent: an hour, far from the warning. */
  readonly deadlineSeconds?: number
}

/** Runs the moves through the runtime, as an agent's own loop does. */
class Rehearsal {
  readonly #files: Map<string, string>
  readonly #events: SessionEvent[] = []
  readonly #session: GuardedSession
  #now = START
  #call = 0
  #isApproved: boolean | undefined

  constructor(config: JsonObject, { files, deadlineSeconds = 3_600 }: Stage) {
    this.#files = new Map(Object.entries(files))
    const guardrails = createGuardrails({
      config: parse(config),
      expressions: EXPRESSIONS,
      now: () => this.#now,
      onEvent: (line) => void this.#events.push(JSON.parse(line)),
      approvals: { decide: async () => this.#answer() },
    })
    this.#session = guardrails.openSession({
      deadlineAt: START + deadlineSeconds * 1_000,
      files: { lookUp: async (file) => this.#look(file), isLink: async () => false },
    })
  }

  #look(file: string): FileFact {
    const text = this.#files.get(file)
    if (text === undefined) return { exists: false }
    const hash = createHash('sha256').update(text).digest('hex')
    return { exists: true, kind: 'file', fingerprint: `sha256:${hash}` }
  }

  async #answer() {
    if (this.#isApproved === undefined) throw new Error('The sample names no answer.')
    return { decision: this.#isApproved ? 'approved' : 'denied', by: 'Ana Ruiz' } as const
  }

  async #runCall(tool: string, move: Move): Promise<void> {
    const { args = {}, fails = false, output = 'ok', writes = {}, approved } = move
    this.#call += 1
    const call = { callId: `call_${this.#call}`, tool, args }
    this.#isApproved = approved
    const verdict = await this.#session.beforeToolCall(call)
    // The runtime records the result of a denied call.
    if (!verdict.allowed) return
    this.#now += CALL_MS
    if (!fails) {
      for (const [file, text] of Object.entries(writes)) this.#files.set(file, text)
    }
    const told = fails
      ? ({ outcome: 'failure', error: output } as const)
      : ({ outcome: 'success', output } as const)
    await this.#session.afterToolCall({ ...call, durationMs: CALL_MS, ...told })
  }

  async #make(move: Move): Promise<void> {
    this.#now += STEP_MS
    if (move.wait !== undefined) this.#now += move.wait * 1_000
    if (move.plan !== undefined) {
      const steps = Object.entries(move.plan).map(([title, status]) => ({ title, status }))
      await this.#session.updatePlan(steps)
    }
    if (move.call !== undefined) {
      for (let i = 0; i < (move.times ?? 1); i++) await this.#runCall(move.call, move)
    }
    if (move.stop !== undefined) {
      await this.#session.beforeStop({ via: 'turn_end', lastMessage: move.stop })
    }
  }

  async play(moves: readonly Move[]): Promise<readonly SessionEvent[]> {
    for (const move of moves) await this.#make(move)
    return this.#events
  }

  /** Also records the final verification and the end. */
  async playToEnd(moves: readonly Move[]): Promise<readonly SessionEvent[]> {
    await this.play(moves)
    await this.#session.end({ reason: 'completed' })
    return this.#events
  }
}

/** Without what differs from one recording to the next: the session's id, the hashes that contain it, and the version of the runtime. */
function settle({ prev: _prev, ...event }: SessionEvent): object {
  const text = JSON.stringify(event).replaceAll(event.session, 'sess_example')
  return JSON.parse(text.replaceAll(/"sdk":"[^"]*"/g, '"sdk":"0"'))
}

interface Vectors {
  readonly files: Readonly<Record<string, string>>
  readonly rules: Readonly<
    Record<string, { readonly fires: readonly Move[]; readonly passes: readonly Move[] }>
  >
}

function readJson<Content>(name: string, file: string): Content {
  return JSON.parse(readFileSync(path.join(FOLDER, name, file), 'utf8'))
}

type RuleKind = 'policy' | 'provider' | 'checker'

function listRules(name: string): readonly { readonly id: string; readonly kind: RuleKind }[] {
  const { policies, providers, checkers } =
    listTemplates().find((template) => template.name === name)?.rules ?? {}
  return [...(policies ?? []), ...(providers ?? []), ...(checkers ?? [])].flatMap(({ id, kind }) =>
    kind === 'composite' ? [] : [{ id, kind }],
  )
}

function listChecks(check: CheckResult | null): readonly CheckResult[] {
  return check === null ? [] : [check, ...(check.children ?? []).flatMap(listChecks)]
}

type Results = readonly (readonly [kind: RuleKind, id: string, isRefused: boolean])[]

function listResults(event: SessionEvent): Results {
  if (event.type === 'tool.decided')
    return event.data.rules.map(({ rule, result }) => ['policy', rule, result !== 'allow'])
  if (event.type === 'feedback.delivered') return [['provider', event.data.provider, true]]
  if (event.type !== 'stop.decided') return []
  return listChecks(event.data.check).map(({ checker, status }) => [
    'checker',
    checker,
    status === 'incomplete',
  ])
}

/** True: at the last move the rule denied, delivered or blocked. Undefined: it was not evaluated. */
function readResult(kind: RuleKind, id: string, events: readonly SessionEvent[]) {
  const from = events.findLastIndex(
    ({ type }) => type === 'tool.requested' || type === 'stop.attempted',
  )
  const results = events.slice(from).flatMap(listResults)
  const found = results.findLast((result) => result[0] === kind && result[1] === id)
  return kind === 'provider' ? found !== undefined : found?.[2]
}

function listActs(events: readonly SessionEvent[]): readonly string[] {
  return events.flatMap((event) => {
    if (event.type === 'tool.decided') return [event.data.decision]
    return event.type === 'stop.decided' ? [event.data.verdict] : []
  })
}

const names = TEMPLATE_NAMES.filter((name) => name !== 'blank')

test('every folder of a template is in the list', () => {
  const folders = readdirSync(FOLDER, { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  )
  expect(folders.map(({ name }) => name).toSorted()).toEqual(names.toSorted())
  expect(names.length).toBeGreaterThanOrEqual(10)
})

/** A soak looks at every state, which takes seconds for some templates. */
const MOST_STATES = IS_SOAK ? 200_000 : 300

test.each(names)(
  'in the template %s every policy decides some call alone, and no agent is trapped',
  (name) => {
    const document = parse(JSON.parse(templateText({ ns: 'demo', key: 'new' }, name, 'enforce')))
    const compiled = compileConfig(document, { expressions: EXPRESSIONS })
    if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems))
    const { config } = compiled
    const policies = listRules(name).filter(({ kind }) => kind === 'policy')
    for (const { id } of policies)
      expect(
        prove(config, { ask: 'decisive', rule: id }, { mostStates: MOST_STATES }).answer,
        id,
      ).not.toBe('never')
    expect(prove(config, { ask: 'trapped' }, { mostStates: MOST_STATES }).answer).not.toBe('trace')
  },
)

test.each(TEMPLATE_NAMES)(
  'a config from the template %s has no lint problems in either mode',
  (name) => {
    const prompt = { ns: 'demo', key: 'new' }
    for (const mode of ['shadow', 'enforce'] as const) {
      const checked = checkConfigText(templateText(prompt, name, mode), {
        ...prompt,
        customTypes: [],
      })
      expect(checked.problems.map(({ code, pointer }) => `${code} ${pointer}`)).toEqual([])
    }
  },
)

describe.each(names)('the template %s', (name) => {
  const template: Template = TEMPLATES[name]
  const { sample } = template.about
  const { files: vectorFiles, rules } = readJson<Vectors>(name, 'vectors.json')
  const stage = { ...sample, deadlineSeconds: sample.deadline_seconds }

  test('declares exactly the tools that it explains', () => {
    const [section] = parse(template.config).sections ?? []
    expect(section?.tools).toEqual(template.about.tools.map((tool) => tool.name))
  })

  test('denies, delivers and blocks nothing in its example session before a person turns enforcement on', async () => {
    const events = await new Rehearsal(template.config, stage).playToEnd(sample.moves)
    expect(listActs(events)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/denied|blocked|error/)]),
    )
    const said = events.filter(({ type }) => type === 'feedback.delivered')
    expect(said.filter(({ data }) => !('mode' in data) || data.mode !== 'shadow')).toEqual([])
  })

  test('has an example session that is what the runtime records, with a denial, a blocked stop and a completed end', async () => {
    const events = await new Rehearsal(enforceRules(template.config), stage).playToEnd(sample.moves)
    const recorded = events.map(settle)
    if (inject('isTemplateUpdate'))
      writeFileSync(path.join(FOLDER, name, 'session.json'), JSON.stringify(recorded))
    else expect(recorded).toEqual(template.session)
    const told = listActs(events)
    expect(told).toEqual(expect.arrayContaining(['denied', 'blocked']))
    expect(told).not.toContain('error')
    expect(told.at(-1)).toBe('allowed')
  })

  test('has vectors for exactly its rules', () => {
    expect(Object.keys(rules).toSorted()).toEqual(
      listRules(name)
        .map(({ id }) => id)
        .toSorted(),
    )
  })

  test.each(listRules(name))(
    'lets through and refuses by $id what its vectors say',
    async ({ id, kind }) => {
      const vector = rules[id]
      expect(vector?.fires).not.toEqual([])
      expect(vector?.passes).not.toEqual([])
      const play = (moves: readonly Move[] = []) =>
        new Rehearsal(enforceRules(template.config), { files: vectorFiles, moves }).play(moves)
      const [fired, passed] = [await play(vector?.fires), await play(vector?.passes)]
      expect(readResult(kind, id, fired)).toBe(true)
      expect(readResult(kind, id, passed)).toBe(false)
      const last = passed.findLast(({ type }) => type === 'tool.decided' || type === 'stop.decided')
      if (kind !== 'provider')
        expect(last?.data).toMatchObject(
          kind === 'policy' ? { decision: 'allowed' } : { verdict: 'allowed' },
        )
    },
  )
})

test('every template is enforced by its document alone, without a rule in shadow mode', () => {
  for (const name of names) {
    const text = templateText({ ns: 'a', key: 'b' }, name, 'enforce')
    expect(text).not.toContain('"shadow"')
    expect(text).not.toContain('max_stop_blocks')
    const problems = lintConfig(parse(JSON.parse(text)), {
      expressions: EXPRESSIONS,
      customTypes: [],
    })
    expect(problems).toEqual([])
  }
})

test('the preview of a config that starts with enforcement has no rule in shadow mode, and its stops are blocked', () => {
  for (const { rules, enforced } of listTemplates()) {
    expect(rules.maxStopBlocks).toBe(0)
    expect(enforced.maxStopBlocks).toBeGreaterThan(0)
    const modes = [...enforced.policies, ...enforced.providers].map(({ mode }) => mode)
    expect(new Set(modes)).toEqual(new Set(['enforce']))
  }
})
