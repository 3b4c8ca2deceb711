// The rule alone, the predicates of the table, and the order of sessions, held against the engine and whole backtests.
import {
  CUSTOM_TYPES,
  eventLog,
  extendedConfigDocument,
  extendedPolicyWithoutId,
  LogRecorder,
  listSeededIncidents,
  TOOLS,
  tellHarmless,
  toConfig,
} from '@signalbox/testkit'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { IS_SOAK } from '@/scripts/soak-sample.mjs'
import { openBacktest } from '../analysis/backtest/backtest-session.ts'
import { type CompiledConfig, compileConfig } from '../engine/compile.ts'
import { celExpressions } from '../expression/index.ts'
import type { CheckerDocument } from '../kinds/checkers.ts'
import type { ConfigDocument } from '../kinds/config.ts'
import { placeDocument } from '../kinds/placed.ts'
import { isKnownPolicy, type PolicyDocument, policyRule } from '../kinds/policies.ts'
import type { Effect } from '../model/effect.ts'
import type { EventOf, SessionEvent } from '../model/event.ts'
import type { JsonObject } from '../model/json.ts'
import { listArgumentAtoms, listArguments, listGoodValues } from './atoms.ts'
import { applyEdit, type Edit, findEdited } from './edit.ts'
import { type AloneAnswer, compileAlone, foldAlone, type RuleAlone } from './fold-alone.ts'
import { type Incident, readIncident } from './incident.ts'
import { Search } from './prevent.ts'
import type { Row, RowTest } from './row.ts'
import { type Reading, type ReadSession, readSession } from './session-rows.ts'
import { buildTable } from './table.ts'
import { numberTools } from './tool-names.ts'
import { backtestGood } from './verify.ts'

const RUNS = IS_SOAK ? 20_000 : 300
/** A soak takes minutes; the rest takes seconds, and more on a busy machine. */
const MOST_MS = IS_SOAK ? 900_000 : 60_000

const expressions = celExpressions()

function compile(document: ConfigDocument): CompiledConfig | null {
  const result = compileConfig(document, { expressions, customTypes: CUSTOM_TYPES })
  return result.ok ? result.config : null
}

function compileNothing(): CompiledConfig {
  const config = compile(toConfig([]))
  if (config === null) throw new Error('A config without rules compiles.')
  return config
}
const nothing = compileNothing()

interface OpenCall {
  readonly tool: string
  state: 'allowed' | 'refused' | 'waits'
}

/** Records a random log as that of an agent that runs only what is allowed, and gives every call its own id. */
class WellBehaved {
  readonly #recorder: LogRecorder
  readonly #open = new Map<string, OpenCall>()
  /** By the id in the random log. */
  readonly #ids = new Map<string, string>()
  #calls = 0

  constructor(config: CompiledConfig) {
    this.#recorder = new LogRecorder(config)
  }

  tell(events: readonly SessionEvent[]): readonly SessionEvent[] {
    for (const event of events) {
      if (event.type === 'tool.requested') this.#request(event)
      else if (event.type === 'approval.decided') this.#answer(event)
      else if (event.type === 'tool.invoked') this.#end(event)
      else this.#recorder.record(event)
    }
    return this.#recorder.log
  }

  #request(event: EventOf<'tool.requested'>): void {
    if (this.#ids.has(event.data.call_id)) return
    const call_id = `call-${this.#calls++}`
    this.#ids.set(event.data.call_id, call_id)
    const call: OpenCall = { tool: event.data.tool, state: 'refused' }
    this.#open.set(call_id, call)
    this.#judge(call, this.#recorder.record({ ...event, data: { ...event.data, call_id } }))
  }

  #answer(event: EventOf<'approval.decided'>): void {
    const call_id = this.#ids.get(event.data.call_id) ?? ''
    const call = this.#open.get(call_id)
    if (call?.state !== 'waits') return
    this.#judge(call, this.#recorder.record({ ...event, data: { ...event.data, call_id } }))
  }

  #judge(call: OpenCall, effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (effect.kind === 'approval.requested') call.state = 'waits'
      if (effect.kind === 'tool.decided')
        call.state = effect.data.decision === 'allowed' ? 'allowed' : 'refused'
    }
  }

  #end(event: EventOf<'tool.invoked'>): void {
    const call_id = this.#ids.get(event.data.call_id) ?? ''
    const call = this.#open.get(call_id)
    if (call === undefined) return
    this.#ids.delete(event.data.call_id)
    this.#open.delete(call_id)
    const ran = event.data.outcome === 'denied' ? 'success' : event.data.outcome
    const outcome = call.state === 'allowed' ? ran : ('denied' as const)
    const data = { ...event.data, call_id, tool: call.tool, outcome }
    this.#recorder.record({ ...event, data })
  }
}

const leaf: fc.Arbitrary<CheckerDocument> = fc.oneof(
  fc
    .record({ tool: fc.constantFrom(...TOOLS), after: fc.subarray([...TOOLS], { maxLength: 2 }) })
    .map((fields) => ({ id: 'new', type: 'tool_succeeded' as const, ...fields })),
  fc
    .subarray(['a.txt', 'b.txt'], { minLength: 1 })
    .map((files) => ({ id: 'new', type: 'files_exist' as const, files })),
)

const added = fc
  .record({ policy: extendedPolicyWithoutId, checker: leaf })
  .map(({ policy, checker }): readonly Edit[] => [
    { kind: 'add_policy', policy: { ...policy('new'), mode: 'enforce' } },
    { kind: 'add_checker', checker },
  ])

interface Story {
  readonly document: ConfigDocument
  readonly events: readonly SessionEvent[]
  readonly more: readonly Edit[]
}

const anyStory: fc.Arbitrary<Story> = fc.record({
  document: extendedConfigDocument,
  events: eventLog,
  more: added,
})

/** Many calls of few tools, of which one waits for a reviewer while the others run. */
const reviewedStory: fc.Arbitrary<Story> = fc
  .array(
    fc.record({
      act: fc.constantFrom('ask', 'ask', 'approve', 'end'),
      tool: fc.constantFrom('build', 'deploy'),
      call_id: fc.constantFrom('c1', 'c2', 'c3'),
    }),
    { minLength: 20, maxLength: 60 },
  )
  .map((acts) => {
    const head = { ns: 'any', key: 'prompt', environment: 'dev', harness: { name: 'test' } }
    const bodies = acts.map(({ act, tool, call_id }) => {
      if (act === 'ask')
        return { type: 'tool.requested' as const, data: { call_id, tool, args: {} } }
      if (act === 'approve')
        return {
          type: 'approval.decided' as const,
          data: { call_id, decision: 'approved' as const },
        }
      return {
        type: 'tool.invoked' as const,
        data: { call_id, tool, outcome: 'success' as const },
      }
    })
    const all = [{ type: 'session.started' as const, data: { semantics: 2, ...head } }, ...bodies]
    return {
      document: {
        schema_version: 1,
        ns: 'any',
        key: 'prompt',
        policies: [{ id: 'ask', type: 'approval', tools: ['deploy'], timeout_seconds: 900 }],
      },
      events: all.map((body, i) => ({ session: 'sess_any', seq: i + 1, at: 1000 * i, ...body })),
      more: [
        { kind: 'add_policy', policy: limit('deploy', 1) },
        { kind: 'add_policy', policy: order({ deploy: ['build'] }, ['deploy']) },
        { kind: 'add_policy', policy: order({ deploy: ['deploy'] }, ['build']) },
      ],
    }
  })

function limit(tool: string, max_calls: number): PolicyDocument {
  return { id: 'new', type: 'rate_limit', tools: [tool], max_calls, per_seconds: 9 }
}

function order(
  dependencies: Readonly<Record<string, readonly string[]>>,
  after: readonly string[],
): PolicyDocument {
  return { id: 'new', type: 'sequential_dependency', dependencies, after }
}

const story = fc.oneof(anyStory, anyStory, reviewedStory)

/** Changes that only refuse more. */
function listEdits({ document, more }: Story): readonly Edit[] {
  const { policies, content } = placeDocument(document)
  const watching = [...policies, ...content].flatMap(({ item }): Edit[] =>
    (item.mode ?? 'enforce') === 'enforce' ? [] : [{ kind: 'enforce', rule: item.id }],
  )
  const wider = policies.flatMap(({ item }): Edit[] => {
    if (!isKnownPolicy(item) || !('tools' in item) || (item.mode ?? 'enforce') !== 'enforce')
      return []
    const tools = [...new Set([...(item.tools ?? []), 'deploy', 'build'])]
    return item.tools === undefined ? [] : [{ kind: 'change_policy', policy: { ...item, tools } }]
  })
  return [...more, ...watching, ...wider]
}

function listGoverned({ document }: CompiledConfig, edit: Edit): readonly string[] | 'every' {
  const { policies, content } = placeDocument(applyEdit(document, edit))
  const id =
    edit.kind === 'enforce' ? edit.rule : edit.kind === 'change_policy' ? edit.policy.id : 'new'
  const policy = policies.find(({ item }) => item.id === id)?.item
  if (policy !== undefined) return policyRule(policy).denies(policy)
  return content.find(({ item }) => item.id === id)?.item.tools ?? 'every'
}

function toReading(config: CompiledConfig, governed: readonly string[] | 'every'): Reading {
  return {
    target: null,
    names: numberTools(),
    windows: [],
    wantsFiles: false,
    pairs: [],
    maxStopBlocks: config.maxStopBlocks,
    canonicalTool: config.canonicalTool,
    keepsArguments: (tool) => governed === 'every' || governed.includes(tool),
  }
}

function backtest(
  before: CompiledConfig,
  after: CompiledConfig,
  log: readonly SessionEvent[],
): AloneAnswer {
  const { isDenied, isUnknown } = backtestGood(before, after, log)
  return isDenied ? 'refused' : isUnknown ? 'cannot_replay' : 'kept'
}

/** By rule for which the log lacks facts: number of the first event without them. */
function findLeftOut(
  before: CompiledConfig,
  after: CompiledConfig,
  log: readonly SessionEvent[],
): ReadonlyMap<string, number | null> {
  const whole = openBacktest(before, after)
  for (const event of log) whole.fold(event)
  const rules = Object.entries(whole.summary().rules)
  return new Map(
    rules.flatMap(([id, { fidelity, since }]) =>
      fidelity === 'cannot_replay' ? [[id, since] as const] : [],
    ),
  )
}

interface Planted {
  readonly alone?: (alone: RuleAlone) => RuleAlone
  readonly session?: (session: ReadSession) => ReadSession
}

interface Compared {
  readonly refused: number
  /** A change of which the two ways give different answers; null: none was found. */
  readonly difference: string | null
}

/** null: the edit does not compile, or only asks a reviewer. */
function answerBothWays(
  before: CompiledConfig,
  { edit, log }: { readonly edit: Edit; readonly log: readonly SessionEvent[] },
  planted: Planted,
): { readonly given: AloneAnswer; readonly expected: AloneAnswer } | null {
  const after = compile(applyEdit(before.document, edit))
  const alone = compileAlone(before, edit)
  const session = readSession(log, toReading(before, listGoverned(before, edit)))
  if (after === null || alone === null || session === null) return null
  if (alone.config.document.policies?.some(({ type }) => type === 'approval')) return null
  const given = foldAlone(planted.alone?.(alone) ?? alone, planted.session?.(session) ?? session)
  const expected = backtest(before, after, log)
  const since = findLeftOut(before, after, log).get(findEdited(edit, before.document)) ?? null
  const event = log.find(({ seq }) => seq === since)
  // A backtest leaves a rule out also because of a call that was refused anyway; alone, a rule is judged by the calls that ran.
  const isExcused = event?.type === 'tool.requested' && session.refused.has(event.data.call_id)
  return isExcused && expected !== 'refused' ? null : { given, expected }
}

function compareAlone(numRuns: number, planted: Planted = {}): Compared {
  let refused = 0
  let difference: string | null = null
  fc.assert(
    fc.property(story, (told) => {
      const before = compile(told.document)
      if (before === null || difference !== null) return
      const log = new WellBehaved(before).tell(told.events)
      // A good session has the facts that its own rules need.
      for (const edit of findLeftOut(before, before, log).size > 0 ? [] : listEdits(told)) {
        const answers = answerBothWays(before, { edit, log }, planted)
        const [given, expected] = [answers?.given, answers?.expected]
        if (expected === 'refused') refused += 1
        if ((given === 'refused') !== (expected === 'refused'))
          difference ??= JSON.stringify({ given, expected, edit, told, log }, null, 1)
      }
    }),
    { numRuns },
  )
  return { refused, difference }
}

describe('a rule alone', () => {
  test(
    'refuses a session exactly if the backtest of the whole config does',
    () => {
      const { refused, difference } = compareAlone(RUNS)
      expect(difference).toBe(null)
      expect(refused).toBeGreaterThan(RUNS / 10)
    },
    MOST_MS,
  )

  test.runIf(IS_SOAK).each<[string, Planted]>([
    ['calls that were refused anyway', { session: (one) => ({ ...one, refused: new Set() }) }],
    ['stops that were refused anyway', { session: (one) => ({ ...one, unchecked: new Set() }) }],
    ['reviewers', { session: (one) => ({ ...one, waited: new Set() }) }],
    ['facts that the log lacks', { alone: (one) => ({ ...one, needsFacts: false }) }],
    ['tools that it reads', { alone: (one) => ({ ...one, tools: new Set() }) }],
  ])(
    'gives another answer if it forgets %s',
    (_, planted) => {
      expect(compareAlone(RUNS, planted).difference).not.toBe(null)
    },
    MOST_MS,
  )
})

const SEEDED = listSeededIncidents(501, { rules: IS_SOAK ? 20 : 5, calls: IS_SOAK ? 8 : 2 })
const GOOD = IS_SOAK ? 120 : 18
/** Sessions whose rates and values are the good ones, so that others exceed them. */
const FEW = 6
const NOISE = 0.05

interface Told {
  readonly incident: Incident
  readonly search: Search
  readonly good: readonly (readonly SessionEvent[])[]
}

/** Sessions with noise, so that every kind of candidate refuses some of them. */
function openSearch(seeded: (typeof SEEDED)[number]): Told | null {
  for (let number = 9000; number < 9040; number++) {
    const told = tellHarmless(seeded.world, number, { incident: seeded.incident })
    const read = told.incident === null ? null : readIncident(nothing, told.events, told.incident)
    if (read?.ok !== true) continue
    const search = new Search(read.incident)
    const good = Array.from(
      { length: GOOD },
      (__, i) => tellHarmless(seeded.world, i, { noise: NOISE }).events,
    )
    return { incident: read.incident, search, good }
  }
  return null
}
const SEARCHES = SEEDED.flatMap((seeded) => openSearch(seeded) ?? [])
for (const { search, good } of SEARCHES) for (const events of good) search.addGood(events)

function* listTested({ search }: Told) {
  const { sessions } = search.table()
  const few = buildTable(sessions.slice(0, FEW), { sessions: 0, rows: 0 })
  for (const { kind, edit, test: predicate, tools } of search.listDrafts(few)) {
    const alone = compileAlone(nothing, edit, tools)
    if (predicate === null || alone === null || kind === 'approval') continue
    for (const session of sessions) yield { kind, edit, predicate, alone, session }
  }
}

/** Drafts of which the table, with rows changed by `forget`, and the engine give different answers about a session. */
function compareTable(forget: (row: Row) => Row): {
  readonly refused: ReadonlySet<string>
  readonly differing: readonly string[]
} {
  const refused = new Set<string>()
  const differing: string[] = []
  for (const told of SEARCHES)
    for (const { kind, edit, predicate, alone, session } of listTested(told)) {
      const given = session.rows.some((row) => predicate(forget(row)) === true)
      const expected = foldAlone(alone, session) === 'refused'
      if (expected) refused.add(kind)
      if (given !== expected) differing.push(`${kind} ${JSON.stringify(edit)} ${session.id}`)
    }
  return { refused, differing }
}

describe('the table', () => {
  test(
    'refuses a session exactly if the engine does, for each kind of candidate',
    () => {
      const { refused, differing } = compareTable((row) => row)
      expect(differing).toEqual([])
      expect([...refused]).toEqual(
        expect.arrayContaining(['condition', 'file', 'fresh', 'order', 'rate', 'read']),
      )
    },
    MOST_MS,
  )

  test.runIf(IS_SOAK).each<[string, (row: Row) => Row]>([
    ['that a later run failed', (row) => ({ ...row, runs: row.successes })],
    ['which tools succeeded', (row) => ({ ...row, successes: row.runs })],
    ['how many calls were before', (row) => ({ ...row, earlier: [] })],
    ['which files were read', (row) => ({ ...row, files: [] })],
    ['which files are there', (row) => ({ ...row, facts: {} })],
  ])(
    'gives another answer if it forgets %s',
    (_, forget) => {
      expect(compareTable(forget).differing).not.toEqual([])
    },
    MOST_MS,
  )
})

const word = fc.constantFrom('git', 'push', '--force', 'main', 'a.txt', 'src/a.ts', 'x@y.example')
const argument = fc.oneof(
  fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' ')),
  fc.constantFrom(
    'https://a.example/x',
    'https://b.example/x',
    'src/b/c.ts',
    'src/d.ts',
    'z@y.example',
  ),
  fc.constantFrom<number | boolean | null>(0, 5, -3, 2.5, 200, true, false, null),
  fc.array(fc.oneof(word, fc.integer()), { maxLength: 3 }),
)
const callArguments: fc.Arbitrary<JsonObject> = fc.record(
  {
    k: argument,
    'odd-key': argument,
    in: argument,
    nested: fc.oneof(fc.record({ v: argument }, { requiredKeys: [] }), argument),
  },
  { requiredKeys: [] },
)

function tellCall(args: JsonObject): readonly SessionEvent[] {
  const recorder = new LogRecorder(nothing)
  const head = { ns: 'world', key: 'agent', environment: 'dev', harness: { name: 'test' } }
  recorder.record({
    session: 'sess_one',
    at: 1,
    type: 'session.started',
    data: { semantics: 2, ...head },
  })
  const data = { call_id: 'c', tool: 'x', args }
  recorder.record({ session: 'sess_one', at: 2, type: 'tool.requested', data })
  return recorder.log
}

function readCall(args: JsonObject): ReadSession {
  const session = readSession(tellCall(args), {
    ...toReading(nothing, ['x']),
    target: 'x',
  })
  if (session === null) throw new Error('A call was told.')
  return session
}

interface Condition {
  readonly text: string
  readonly test: RowTest
  readonly mustHold: boolean
}

function listConditions(args: JsonObject, rows: readonly Row[]): readonly Condition[] {
  return listArguments(args).flatMap((one) => {
    const values = listGoodValues(one, rows)
    const atoms = listArgumentAtoms(one, rows).map(({ guard, text, test: holds }) => ({
      text: `${guard} && ${text}`,
      test: holds,
      mustHold: false,
    }))
    return values === null ? atoms : [...atoms, { ...values, mustHold: true }]
  })
}

interface Case {
  readonly args: JsonObject
  readonly others: readonly JsonObject[]
}

function* listJudged({ args, others }: Case) {
  const sessions = others.map(readCall)
  // Values that come again and again may be the only ones.
  const rows = sessions.flatMap((session) => Array<readonly Row[]>(4).fill(session.rows)).flat()
  for (const condition of listConditions(args, rows)) {
    const { text, mustHold } = condition
    const when = mustHold ? { require: text } : { deny_when: text }
    const policy = { id: 'new', type: 'expression' as const, tools: ['x'], ...when }
    const alone = compileAlone(nothing, { kind: 'add_policy', policy })
    if (alone === null) throw new Error(`This does not compile: ${text}`)
    for (const session of [...sessions, readCall(args)])
      yield { condition, session, isRefused: foldAlone(alone, session) === 'refused' }
  }
}

function compareConditions(numRuns: number, change: (holds: boolean | null) => boolean | null) {
  let refused = 0
  let difference: string | null = null
  const several = fc.array(callArguments, { maxLength: 8 })
  fc.assert(
    fc.property(fc.record({ args: callArguments, others: several }), (one) => {
      for (const { condition, session, isRefused } of listJudged(one)) {
        const given = session.rows.some((row) => change(condition.test(row)) === true)
        if (isRefused) refused += 1
        if (given !== isRefused)
          difference ??= JSON.stringify({ condition, given, session: session.events })
      }
    }),
    { numRuns },
  )
  return { refused, difference }
}

describe('a condition on arguments', () => {
  test(
    'has the predicate that the engine evaluates, whatever the arguments are',
    () => {
      const { refused, difference } = compareConditions(RUNS, (holds) => holds)
      expect(difference).toBe(null)
      expect(refused).toBeGreaterThan(RUNS)
    },
    MOST_MS,
  )

  test('is found to differ if its predicate is never true', () => {
    expect(compareConditions(20, () => false).difference).not.toBe(null)
  })
})

/** The rows that the table keeps of sessions in two orders; `change` may take from them what the order of the table rests on. */
function compareOrders(numRuns: number, change: (session: ReadSession) => ReadSession) {
  let isSame = true
  const [first] = SEARCHES
  const sessions = (first?.search.table().sessions ?? []).map(change)
  const most = { sessions: 12, rows: 20 }
  fc.assert(
    fc.property(fc.shuffledSubarray(sessions, { minLength: sessions.length }), (shuffled) => {
      const [one, other] = [sessions, shuffled].map((list) => {
        const { rows, sessionsLeftOut, rowsLeftOut } = buildTable(
          list,
          { sessions: 0, rows: 0 },
          most,
        )
        return JSON.stringify({ rows, sessionsLeftOut, rowsLeftOut })
      })
      if (one !== other) isSame = false
    }),
    { numRuns },
  )
  return isSame
}

describe('the order in which sessions are read', () => {
  test('changes no finding', () => {
    for (const { incident, search, good } of SEARCHES.slice(0, IS_SOAK ? 28 : 4)) {
      const again = new Search(incident)
      for (const events of [...good].reverse()) again.addGood(events)
      expect(again.candidates()).toEqual(search.candidates())
    }
  })

  test('changes nothing beyond the limits either, because the newest are kept', () => {
    expect(compareOrders(20, (session) => session)).toBe(true)
    expect(compareOrders(20, (session) => ({ ...session, id: '', startedAt: 0 }))).toBe(false)
  })

  test('counts what is left out: all sessions from the first one that does not fit', () => {
    const sessions = SEARCHES[0]?.search.table().sessions ?? []
    const count = (list: readonly ReadSession[]) =>
      list.reduce((sum, { rows }) => sum + rows.length, 0)
    for (const most of [
      { sessions: 5, rows: 1000 },
      { sessions: 1000, rows: count(sessions.slice(0, 5)) },
    ]) {
      const before = { sessions: 3, rows: 40 }
      const table = buildTable([...sessions].reverse(), before, most)
      expect(table.sessions).toEqual(sessions.slice(0, table.sessions.length))
      expect(table.rows).toHaveLength(count(sessions.slice(0, 5)))
      expect(table.sessionsLeftOut).toBe(3 + sessions.length - table.sessions.length)
      expect(table.rowsLeftOut).toBe(40 + count(sessions.slice(5)))
    }
  })
})
