// Answers about all runs, held against random runs of the real engine.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { IS_SOAK } from '@/scripts/soak-sample.mjs'
import { type CompiledConfig, compileConfig } from '../engine/compile.ts'
import { step } from '../engine/step.ts'
import { atomReader } from '../expression/condition-atoms.ts'
import { celExpressions } from '../expression/index.ts'
import type { ConfigDocument } from '../kinds/config.ts'
import type { PolicyDocument } from '../kinds/policies.ts'
import type { EventBody, SessionEvent } from '../model/event.ts'
import type { JsonObject } from '../model/json.ts'
import { SEMANTICS } from '../model/semantics.ts'
import { initialState, lastSuccess, type SessionState } from '../model/state.ts'
import { type Answer, prove, type Question } from './index.ts'
import { type Observed, observe } from './observe.ts'
import { askWithout, conclude, type Limits, search, setLimits } from './prove.ts'
import { computeKey } from './state-key.ts'

const CONFIGS = IS_SOAK ? 1000 : 120
const RUNS = IS_SOAK ? 100 : 40
/** A soak compares a thousand searches without shortcuts; the rest takes seconds, and more on a busy machine. */
const MOST_MS = IS_SOAK ? 900_000 : 60_000
const LENGTH = 14
/** Configs among which a planted error must be found; the search ends with the first. */
const PLANTED = 600

const TOOLS = ['a', 'b', 'c', 'd', 'x'] as const
const tool = fc.constantFrom(...TOOLS)
const others = (name: string) => TOOLS.filter((other) => other !== name)
const expressions = celExpressions()

function compiled(document: ConfigDocument): CompiledConfig {
  const result = compileConfig(document, { expressions, customTypes: 'any' })
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.config
}

type Bare = PolicyDocument extends infer One
  ? One extends unknown
    ? Omit<One, 'id'>
    : never
  : never

const governing = (name: string): fc.Arbitrary<Bare> => {
  const other = fc.constantFrom(...others(name))
  const count = fc.tuple(tool, fc.constantFrom('succeeded', 'failed', 'denied', 'calls'), fc.nat(2))
  return fc.oneof(
    fc.uniqueArray(other, { minLength: 1, maxLength: 2 }).map((needed) => ({
      type: 'sequential_dependency' as const,
      dependencies: { [name]: needed },
    })),
    fc.uniqueArray(tool, { minLength: 2, maxLength: 2 }).map(([needed = 'a', after = 'b']) => ({
      type: 'sequential_dependency' as const,
      dependencies: needed === name ? {} : { [name]: [needed] },
      after: [after],
    })),
    fc.tuple(count, fc.boolean()).map(([[counted, field, most], isNeeded]) => {
      const condition = `calls.${counted}.${field} >= ${most + 1}`
      return {
        type: 'expression' as const,
        tools: [name],
        ...(isNeeded ? { require: condition } : { deny_when: condition }),
      }
    }),
    other.map((last) => ({
      type: 'expression' as const,
      tools: [name],
      require: `args.k == "v0" || calls.${last}.last == "success"`,
    })),
    fc.tuple(fc.boolean(), fc.nat(3)).map(([isEnd, most]) => ({
      type: 'expression' as const,
      tools: [name],
      ...(isEnd
        ? { deny_when: `session.calls > ${most}` }
        : { require: `session.calls >= ${most}` }),
    })),
    fc.constantFrom('size(args.k) > 1', 'size(args.k) < 2').map((size) => ({
      type: 'expression' as const,
      tools: [name],
      require: `${size} && args.k.endsWith("z")`,
    })),
    fc.constantFrom('^v[0-9]$', 'z', '(?i)^q?$').map((pattern) => ({
      type: 'expression' as const,
      tools: [name],
      require: `!has(args.k) || args.k.matches("${pattern}")`,
    })),
    other.map((counted) => ({
      type: 'expression' as const,
      tools: [name],
      deny_when: `args.k.startsWith("v") && !args.k.endsWith("z") && calls.${counted}.succeeded < 1`,
    })),
    fc.record({ other, most: fc.integer({ min: 1, max: 2 }) }).map(({ other: second, most }) => ({
      type: 'rate_limit' as const,
      tools: [name, second],
      max_calls: most,
      per_seconds: 60,
    })),
    fc.constant({ type: 'approval' as const, tools: [name], timeout_seconds: 300 }),
    fc.constant({
      type: 'read_before_write' as const,
      read_tools: ['a'],
      write_tools: [name],
      path_params: ['path'],
    }),
  )
}

const policy = tool.chain(governing)

const question: fc.Arbitrary<Extract<Question, { ask: 'run_without' }>> = tool.chain((name) =>
  fc
    .uniqueArray(fc.constantFrom(...others(name)), { minLength: 2, maxLength: 2 })
    .chain(([needs = 'a', since = 'b']) =>
      fc.boolean().map((hasAfter) => ({
        ask: 'run_without' as const,
        tool: name,
        needs,
        ...(hasAfter ? { after: [since] } : {}),
      })),
    ),
)

/** Six of ten have a rule that should make the answer `never`; the others may still undo it. */
const asked = question
  .chain((q) =>
    fc.record({
      // Half of the rules govern the tool of the question.
      policies: fc.array(fc.oneof(policy, governing(q.tool)), { minLength: 1, maxLength: 5 }),
      question: fc.constant(q),
      isGuarded: fc.integer({ min: 0, max: 9 }).map((n) => n < 6),
    }),
  )
  .map(({ policies, question: q, isGuarded }) => {
    const guard: Bare = {
      type: 'sequential_dependency',
      dependencies: { [q.tool]: [q.needs] },
      ...(q.after === undefined ? {} : { after: q.after }),
    }
    const all = isGuarded ? [...policies, guard] : policies
    const document: ConfigDocument = {
      schema_version: 1,
      ns: 'team',
      key: 'coder',
      policies: all.map((one, i) => ({ ...one, id: `r${i}` })) as readonly PolicyDocument[],
    }
    return { document, question: q }
  })

function isHit(
  { needs, after = [] }: Extract<Question, { ask: 'run_without' }>,
  before: SessionState,
): boolean {
  const own = lastSuccess(before, needs)
  return own === 0 || after.some((other) => lastSuccess(before, other) > own)
}

type Choose = (below: number) => number

const FILE = 'f'

/** A session whose next event is chosen at random. */
class RandomRun {
  state: SessionState
  at = 1000
  readonly open: { readonly id: string; readonly tool: string; readonly isWaiting: boolean }[] = []
  readonly #config: CompiledConfig
  readonly #choose: Choose

  constructor(config: CompiledConfig, choose: Choose) {
    this.#config = config
    this.#choose = choose
    this.state = initialState(config.promptName)
    const head = { ns: 'team', key: 'coder', environment: 'dev', harness: { name: 'x' } }
    this.#fold({ type: 'session.started', data: { ...head, semantics: SEMANTICS } })
  }

  #fold(body: EventBody): string | undefined {
    // The body and the envelope of one type make an event of this type.
    const event = { ...body, session: 's', seq: this.state.seq + 1, at: this.at } as SessionEvent
    const { state, effects } = step(this.#config, this.state, event)
    this.state = state
    const decided = effects.find((effect) => effect.kind === 'tool.decided')
    return decided?.kind === 'tool.decided' ? decided.data.decision : undefined
  }

  /** Name of the tool of which a call was allowed; null: of none. */
  next(underWay: number): string | null {
    this.at += this.#choose(7) === 0 ? 61_000 : 5
    const mustEnd = this.open.length >= Math.max(1, underWay)
    if (this.open.length > 0 && (mustEnd || this.#choose(2) === 0)) return this.#goOn()
    return this.#request()
  }

  #goOn(): string | null {
    const [call] = this.open.splice(this.#choose(this.open.length), 1)
    if (call === undefined) return null
    const { id, tool: name } = call
    if (!call.isWaiting) {
      const outcome = this.#choose(4) === 0 ? 'failure' : 'success'
      const facts = { files: { [FILE]: { exists: true, kind: 'file', fingerprint: '1' } } } as const
      this.#fold({ type: 'tool.invoked', data: { call_id: id, tool: name, outcome, facts } })
      return null
    }
    const data = { call_id: id, decision: 'approved' } as const
    if (this.#fold({ type: 'approval.decided', data }) !== 'allowed') return null
    this.open.push({ ...call, isWaiting: false })
    return name
  }

  #request(): string | null {
    const choose = this.#choose
    const name = TOOLS[choose(TOOLS.length)] ?? 'a'
    const id = `c${this.state.seq}`
    const k = [undefined, 'v0', 'v1', 'vz', 'z', 'q', '', 5, 'v0z'][choose(9)]
    const args: JsonObject = { path: FILE, ...(k === undefined ? {} : { k }) }
    const there = { exists: true, kind: 'file', fingerprint: `${choose(2)}` } as const
    const facts = { files: { [FILE]: choose(3) === 0 ? { exists: false } : there } }
    const data = { call_id: id, tool: name, args, facts }
    const decision = this.#fold({ type: 'tool.requested', data })
    if (decision === undefined) this.open.push({ id, tool: name, isWaiting: true })
    else if (decision === 'allowed') this.open.push({ id, tool: name, isWaiting: false })
    else if (choose(3) > 0)
      this.#fold({ type: 'tool.invoked', data: { call_id: id, tool: name, outcome: 'denied' } })
    return decision === 'allowed' ? name : null
  }
}

/** The states before each allowed call of the tool. */
function* statesBefore(config: CompiledConfig, name: string, choose: Choose) {
  const run = new RandomRun(config, choose)
  for (let i = 0; i < LENGTH; i++) {
    const before = run.state
    if (run.next(2) === name) yield before
  }
}

/** The states in which no call is under way. */
function* statesAtRest(config: CompiledConfig, choose: Choose) {
  const run = new RandomRun(config, choose)
  for (let i = 0; i < LENGTH; i++) {
    if (run.open.length === 0) yield run.state
    run.next(0)
  }
}

function lastDecision(config: CompiledConfig, events: readonly SessionEvent[]) {
  let state = initialState(config.promptName)
  let last = { before: state, effects: step(config, state, events[0] as SessionEvent).effects }
  for (const event of events) {
    const before = state
    const result = step(config, state, event)
    state = result.state
    last = { before, effects: result.effects }
  }
  return last
}

type RunQuestion = Extract<Question, { ask: 'run_without' }>
type Ask = (config: CompiledConfig, question: RunQuestion) => Answer

/** The first input of which `describe` has something to say; null: there is none. */
function findBreach<Input>(
  input: fc.Arbitrary<Input>,
  numRuns: number,
  describe: (input: Input) => string | null,
): string | null {
  let found: string | null = null
  fc.assert(
    fc.property(input, (one) => {
      found ??= describe(one)
    }),
    { numRuns },
  )
  return found
}

const dice = fc.infiniteStream(fc.nat(1_000_000)).map(
  (stream): Choose =>
    (below) =>
      (stream.next().value ?? 0) % below,
)

/** True: the example ends with an allowed call that the question is about, as the engine decides it. */
function isReplayed(
  config: CompiledConfig,
  q: RunQuestion,
  events: readonly SessionEvent[],
): boolean {
  const { before, effects } = lastDecision(config, events)
  const decided = effects.find((effect) => effect.kind === 'tool.decided')?.data
  const isAllowed = decided?.tool === q.tool && decided.decision === 'allowed'
  return isAllowed && isHit(q, before)
}

function findContradiction(
  ask: Ask,
  numRuns: number,
  told?: (answer: Answer) => void,
): string | null {
  return findBreach(fc.tuple(asked, dice), numRuns, ([{ document, question: q }, choose]) => {
    const config = compiled(document)
    const answer = ask(config, q)
    told?.(answer)
    if (answer.answer === 'trace' && isReplayed(config, q, answer.events)) return null
    if (answer.answer === 'never' && !isFoundByRuns(config, q, choose)) return null
    return JSON.stringify({ document, q, answer }, null, 1)
  })
}

function isFoundByRuns(config: CompiledConfig, q: RunQuestion, choose: Choose): boolean {
  for (let run = 0; run < RUNS; run++)
    for (const before of statesBefore(config, q.tool, choose)) if (isHit(q, before)) return true
  return false
}

/** Searches with one error each. */
const WRONG_SEARCHES: readonly (readonly [string, Ask])[] = [
  ['takes a search without failures for a proof', askBySearch({ onlySuccess: true })],
  ['makes every success at once', askBySearch({ notEager: [] })],
  ['tries one kind of arguments', askBySearch({}, { represent: () => ONE_KIND })],
  [
    'forgets what makes a success outdated',
    (config, { ask, tool: name, needs }) => prove(config, { ask, tool: name, needs }),
  ],
]

const ONE_KIND = { kinds: [{}], isComplete: true }

function askBySearch(
  change: Partial<Parameters<typeof search>[2]>,
  changeLimits: Partial<Limits> = {},
): Ask {
  return (config, q) => {
    const limits = { ...setLimits({}), ...changeLimits }
    return conclude(search([config], limits, { ...askWithout(q), ...change }), limits)
  }
}

describe('answers about random configs', () => {
  test(
    'no random run contradicts them, and every trace replays',
    () => {
      const tally = { never: 0, trace: 0, most: 0, unbounded: 0, unknown: 0 }
      const breach = findContradiction(prove, CONFIGS, ({ answer }) => {
        tally[answer] += 1
      })
      expect(breach).toBe(null)
      expect(tally.never).toBeGreaterThan(CONFIGS / 5)
      expect(tally.trace).toBeGreaterThan(CONFIGS / 5)
    },
    MOST_MS,
  )

  test
    .runIf(IS_SOAK)
    .each<readonly [string, Ask]>([
      ...WRONG_SEARCHES,
      ['shows a session of an agent without rules', (_, q) => prove(compiled(NO_RULES), q)],
      ['leaves out the last event of a session', (config, q) => withoutEnd(prove(config, q))],
    ])(
    'are contradicted if the search %s',
    (_, ask) => {
      expect(findContradiction(ask, PLANTED)).not.toBe(null)
    },
    MOST_MS,
  )
})

const NO_RULES = { schema_version: 1, ns: 'team', key: 'coder' } as const

function withoutEnd(answer: Answer): Answer {
  return answer.answer === 'trace' ? { ...answer, events: answer.events.slice(0, -1) } : answer
}

/** A config for which the search without shortcuts has another answer. */
function findDifference(ask: (underWay: number) => Ask, numRuns: number): string | null {
  const input = fc.tuple(asked, fc.integer({ min: 0, max: 2 }))
  return findBreach(input, numRuns, ([{ document, question: q }, underWay]) => {
    const config = compiled(document)
    const limits = setLimits({ underWay })
    const { focus, ...rest } = askWithout(q)
    const whole = { ...rest, focus: { ...focus, isLean: false } }
    const plain = conclude(search([config], limits, whole), limits)
    const { answer } = ask(underWay)(config, q)
    return answer === plain.answer ? null : JSON.stringify({ document, q, answer }, null, 1)
  })
}

interface Case {
  readonly document: ConfigDocument
  readonly question: RunQuestion
}

/** A rule that makes a run possible which no run did before. */
function findLoosening(
  input: fc.Arbitrary<{ readonly before: Case; readonly more: Bare }>,
  numRuns: number,
): string | null {
  return findBreach(input, numRuns, ({ before: { document, question: q }, more }) => {
    const { policies = [] } = document
    // The rule has all that its type needs.
    const added = { ...more, id: 'more' } as PolicyDocument
    const isNever = (rules: readonly PolicyDocument[]) =>
      prove(compiled({ ...document, policies: rules }), q).answer === 'never'
    const isBreach = isNever(policies) && !isNever([...policies, added])
    return isBreach ? JSON.stringify({ document, q, added }, null, 1) : null
  })
}

const countsCalls = (part: object): boolean => /calls/.test(JSON.stringify(part))

describe('shortcuts', () => {
  test(
    'change no answer',
    () => {
      const ask =
        (underWay: number): Ask =>
        (config, q) =>
          prove(config, q, { underWay })
      expect(findDifference(ask, IS_SOAK ? 1000 : 40)).toBe(null)
    },
    MOST_MS,
  )

  test.runIf(IS_SOAK).each(WRONG_SEARCHES)(
    'give another answer if the search %s',
    (_, ask) => {
      expect(findDifference(() => ask, PLANTED)).not.toBe(null)
    },
    MOST_MS,
  )

  test('a rule that only denies more never makes a run possible', () => {
    const denying = policy.filter((one) => one.type !== 'approval' && !countsCalls(one))
    const plain = asked.filter(({ document }) => !countsCalls(document))
    const input = fc.record({ before: plain, more: denying })
    expect(findLoosening(input, IS_SOAK ? 1000 : 100)).toBe(null)
  })

  test('a rule that denies more can make a run possible where denied calls are counted', () => {
    const counting = fc.tuple(asked, tool).chain(([{ document, question: q }, counted]) => {
      const require = `calls.${counted}.denied >= 1`
      const need = { id: 'need', type: 'expression', tools: [q.tool], require } as const
      const policies = [...(document.policies ?? []), need]
      const before = { document: { ...document, policies }, question: q }
      return fc.record({ before: fc.constant(before), more: governing(counted) })
    })
    expect(findLoosening(counting, 200)).not.toBe(null)
  })
})

/** The decision about a call of each tool, and the keys after it and after its success. */
function listNext(config: CompiledConfig, observed: Observed, state: SessionState) {
  const facts = { files: { [FILE]: { exists: true, kind: 'file' as const, fingerprint: '1' } } }
  const fold = (from: SessionState, body: EventBody) =>
    step(config, from, {
      ...body,
      session: 's',
      seq: from.seq + 1,
      at: from.at + 1,
    } as SessionEvent)
  return TOOLS.flatMap((name) =>
    [{}, { k: 'v0' }, { k: 'q' }].map((k) => {
      const call = { call_id: 'next', tool: name }
      const data = { ...call, args: { path: FILE, ...k }, facts }
      const { state: asked, effects } = fold(state, { type: 'tool.requested', data })
      const [first] = effects
      const decision = first?.kind === 'tool.decided' ? first.data.decision : first?.kind
      const outcome = decision === 'allowed' ? 'success' : 'denied'
      const end = { type: 'tool.invoked', data: { ...call, outcome, facts } } as const
      const open = [
        { id: 'next', tool: name, args: {}, input: '', isWaiting: first?.kind !== 'tool.decided' },
      ]
      const after = fold(asked, end).state
      return [
        `${name} ${decision}`,
        computeKey(observed, { lanes: [asked], open }),
        computeKey(observed, { lanes: [after], open: [] }),
      ].join(' ')
    }),
  )
}

type Forget = (observed: Observed) => void

/** Two sessions with one key that go on differently. */
function findIncongruence(forget: Forget, numRuns: number): string | null {
  return findBreach(fc.tuple(asked, dice), numRuns, ([{ document }, choose]) => {
    const config = compiled(document)
    const observed = observe([config], { tools: TOOLS, stops: false, isLean: false }, atomReader())
    forget(observed)
    return findOtherWay(config, { observed, choose }, (state) => listNext(config, observed, state))
  })
}

/** Two states of random runs with one key of which `list` says different things. */
function findOtherWay(
  config: CompiledConfig,
  { observed, choose }: { readonly observed: Observed; readonly choose: Choose },
  list: (state: SessionState) => readonly string[],
): string | null {
  const known = new Map<string, readonly string[]>()
  for (let run = 0; run < 20; run++)
    for (const state of statesAtRest(config, choose)) {
      const key = computeKey(observed, { lanes: [state], open: [] })
      const next = list(state)
      const before = known.get(key) ?? next
      known.set(key, before)
      if (before.join('\n') !== next.join('\n'))
        return JSON.stringify({ document: config.document, key, before, next }, null, 1)
    }
  return null
}

/** Parts of a key, each left out. */
const FORGOTTEN: readonly (readonly [string, Forget])[] = [
  ['which of two tools succeeded last', ({ pairs }) => pairs.clear()],
  ['whether a tool succeeded', ({ successes }) => successes.clear()],
  ['counts', ({ counts }) => counts.clear()],
  ['the last outcome', ({ lasts }) => lasts.clear()],
  ['calls under a rate limit', ({ rates }) => void rates.splice(0)],
  ['what was read', ({ reads }) => reads.clear()],
  ['how many calls ended', ({ session }) => session.clear()],
]

describe('two states with one key', () => {
  test(
    'get equal decisions, and equal keys after them',
    () => {
      expect(findIncongruence(() => undefined, IS_SOAK ? 1000 : 40)).toBe(null)
    },
    MOST_MS,
  )

  test.runIf(IS_SOAK).each(FORGOTTEN)(
    'go on differently if the key forgets %s',
    (_, forget) => {
      expect(findIncongruence(forget, CONFIGS)).not.toBe(null)
    },
    MOST_MS,
  )
})

/** Decisions about calls of a tool. */
function listDecisions(config: CompiledConfig, state: SessionState, name: string) {
  const facts = { files: { [FILE]: { exists: true, kind: 'file' as const, fingerprint: '1' } } }
  const [seq, at] = [state.seq + 1, state.at]
  return [{}, { k: 'v0' }, { k: 'q' }].map((k) => {
    const data = { call_id: 'next', tool: name, args: { path: FILE, ...k }, facts }
    const event = { type: 'tool.requested', data, session: 's', seq, at } as const
    const decided = step(config, state, event).effects[0]
    return decided?.kind === 'tool.decided' ? decided.data.decision : `${decided?.kind}`
  })
}

/** Two sessions that are equal in what the rules of a tool look at, and get different decisions about it. */
function findFarSight(forget: Forget, numRuns: number): string | null {
  return findBreach(fc.tuple(asked, tool, dice), numRuns, ([{ document }, name, choose]) => {
    const config = compiled(document)
    const focus = { tools: [name], stops: false, isLean: false, isDirect: true }
    const observed = observe([config], focus, atomReader())
    forget(observed)
    return findOtherWay(config, { observed, choose }, (state) => listDecisions(config, state, name))
  })
}

describe('decisions about a tool', () => {
  test(
    'look only at what its own rules look at',
    () => {
      expect(findFarSight(() => undefined, IS_SOAK ? 1000 : 60)).toBe(null)
    },
    MOST_MS,
  )

  test.each(FORGOTTEN)(
    'look at %s',
    (_, forget) => {
      expect(findFarSight(forget, CONFIGS)).not.toBe(null)
    },
    MOST_MS,
  )
})
