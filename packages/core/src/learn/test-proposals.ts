// Each proposal is tested against the sessions that it was learned from, and all that pass are tested together.
import {
  FOLDED_EVENT_TYPES,
  type OpenBacktest,
  openBacktest,
} from '../analysis/backtest/backtest-session.ts'
import { type CompiledConfig, compileConfig } from '../engine/compile.ts'
import type { ToolSucceededCheckerDocument } from '../kinds/checkers/tool-succeeded.ts'
import type { ConfigDocument } from '../kinds/config.ts'
import type { SessionEvent } from '../model/event.ts'
import { findNewFaults, type NewFaults } from '../prove/new-faults.ts'
import { type ProveOptions, prove } from '../prove/prove.ts'
import type { Question } from '../prove/question.ts'
import type { RanUnder } from '../tighten/governing.ts'
import { addRules } from './add-rules.ts'
import { listGoverned } from './governed.ts'
import type { PlacedRule } from './pattern.ts'
import type { Proposal } from './propose.ts'

export interface TestOptions {
  /** Sessions of each label on which one proposal is tested, at most. Absent: 500. */
  readonly mostSessions?: number
  /** Share of good sessions that a proposal may deny. Absent: 0.02. */
  readonly mostDenied?: number
}

export interface Tested {
  /** Sessions that the rule could have acted in. */
  readonly sessions: number
  /** Those in which it would have denied a call or blocked a stop. */
  readonly denied: number
  /** Ids of the first 50 of them. */
  readonly deniedSessions: readonly string[]
  /** Those that it did not deny, as far as the facts in their logs tell. */
  readonly cannotReplay: number
}

export interface TestedProposal {
  readonly proposal: Proposal
  readonly good: Tested
  readonly bad: Tested
  /** It denies few enough good sessions. */
  readonly isKept: boolean
}

export interface ProposalTests {
  /** One whole session. `ranUnder` absent: the present config. */
  add(label: 'good' | 'bad', events: readonly SessionEvent[], ranUnder?: RanUnder): void
  results(): readonly TestedProposal[]
}

const MOST_SESSIONS = 500
const MOST_DENIED = 0.02
const MOST_IDS = 50

export function openProposalTests(
  present: CompiledConfig,
  proposals: readonly Proposal[],
  options: TestOptions = {},
): ProposalTests {
  const { mostSessions = MOST_SESSIONS, mostDenied = MOST_DENIED } = options
  const tests = proposals.map((proposal) => {
    const after = compileWith(present, [proposal])
    return {
      proposal,
      tools: listActing(proposal),
      good: new SampleTest(present, after, mostSessions),
      bad: new SampleTest(present, after, mostSessions),
    }
  })
  return {
    add(label, events, ranUnder) {
      const session = readSession(present, events)
      for (const test of tests) if (canAct(test.tools, session)) test[label].add(session, ranUnder)
    },
    results: () =>
      tests.map(({ proposal, good, bad }) => {
        const tested = good.result()
        const isKept = tested.denied <= Math.floor(tested.sessions * mostDenied)
        return { proposal, good: tested, bad: bad.result(), isKept }
      }),
  }
}

/** Tools whose calls the proposal may deny; null: it acts at stops. */
function listActing(proposal: Proposal): ReadonlySet<string> | null {
  if (proposal.pointer === '/task_completion_checker') return null
  return new Set(proposal.kind === 'file_facts' ? [] : listGoverned(proposal))
}

function compileWith(present: CompiledConfig, added: readonly PlacedRule[]): CompiledConfig {
  const result = compileConfig(
    addRules(present.document, added, { mode: 'enforce' }),
    present.options,
  )
  if (!result.ok) throw new Error(`A proposal does not compile: ${JSON.stringify(result.problems)}`)
  return result.config
}

interface WholeSession {
  readonly id: string
  readonly events: readonly SessionEvent[]
  readonly tools: ReadonlySet<string>
  readonly hasStops: boolean
}

const FOLDED: ReadonlySet<string> = new Set(FOLDED_EVENT_TYPES)

function readSession(config: CompiledConfig, all: readonly SessionEvent[]): WholeSession {
  const events = all.filter(({ type }) => FOLDED.has(type))
  const tools = new Set(
    events.flatMap((event) =>
      event.type === 'tool.requested' ? [config.canonicalTool(event.data.tool)] : [],
    ),
  )
  const hasStops = events.some(({ type }) => type === 'stop.attempted')
  return { id: all[0]?.session ?? '', events, tools, hasStops }
}

/** `tools` null: the rule acts at stops. A rule that only records, and advice, act in no session. */
function canAct(tools: ReadonlySet<string> | null, session: WholeSession): boolean {
  return tools === null ? session.hasStops : [...tools].some((tool) => session.tools.has(tool))
}

class SampleTest {
  readonly #present: CompiledConfig
  readonly #after: CompiledConfig
  readonly #most: number
  readonly #denied: string[] = []
  #sessions = 0
  #cannotReplay = 0

  constructor(present: CompiledConfig, after: CompiledConfig, most: number) {
    this.#present = present
    this.#after = after
    this.#most = most
  }

  add({ id, events }: WholeSession, ranUnder: RanUnder = this.#present): void {
    if (this.#sessions >= this.#most) return
    this.#sessions += 1
    const outcome = backtest(openBacktest(ranUnder, this.#after), events)
    if (outcome === 'denies') this.#denied.push(id)
    if (outcome === 'cannot_replay') this.#cannotReplay += 1
  }

  result(): Tested {
    return {
      sessions: this.#sessions,
      denied: this.#denied.length,
      deniedSessions: this.#denied.slice(0, MOST_IDS),
      cannotReplay: this.#cannotReplay,
    }
  }
}

function backtest(
  open: OpenBacktest,
  events: readonly SessionEvent[],
): 'denies' | 'cannot_replay' | 'passes' {
  let isKnown = true
  for (const event of events) {
    const { verdict } = open.fold(event)
    if (verdict?.class === 'would_deny' || verdict?.class === 'would_block') return 'denies'
    if (verdict?.class === 'cannot_replay') isKnown = false
  }
  const { rules } = open.summary()
  const isWhole = Object.values(rules).every(({ fidelity }) => fidelity !== 'cannot_replay')
  return isKnown && isWhole ? 'passes' : 'cannot_replay'
}

/** True: no run of the present config breaks the rule, so it adds nothing. What is not known counts as false. */
export function isImplied(
  present: CompiledConfig,
  proposal: Proposal,
  options: ProveOptions = {},
): boolean {
  const question = toQuestion(present, proposal)
  return question !== null && prove(present, question, options).answer === 'never'
}

/** null: it is no question about runs, or the present config says nothing about it. */
function toQuestion(present: CompiledConfig, proposal: Proposal): Question | null {
  const { kind, rule } = proposal
  if (kind === 'finish' && 'tool' in rule) {
    const { tool, after } = rule as ToolSucceededCheckerDocument
    return { ask: 'stop_without', needs: tool, ...(after === undefined ? {} : { after }) }
  }
  if (kind === 'file_facts') return null
  const isGoverned = listGoverned(proposal).some((tool) =>
    present.rulesFor(tool).policies.some(({ mode }) => mode === 'enforce'),
  )
  return isGoverned ? { ask: 'allows_more', than: compileWith(present, [proposal]) } : null
}

export interface TogetherResult extends NewFaults {
  /** The present config with the proposals, in shadow mode where their kind has modes. */
  readonly document: ConfigDocument
  readonly good: Tested
}

export interface TogetherTest {
  /** One whole good session. `ranUnder` absent: the present config. */
  add(events: readonly SessionEvent[], ranUnder?: RanUnder): void
  result(): TogetherResult
}

/** Rules that are harmless one by one can contradict each other, or trap the agent. */
export function openTogetherTest(
  present: CompiledConfig,
  accepted: readonly Proposal[],
  options: ProveOptions & Pick<TestOptions, 'mostSessions'> = {},
): TogetherTest {
  const acting = accepted.filter(({ kind }) => kind !== 'file_facts')
  const after = compileWith(present, acting)
  const test = new SampleTest(present, after, options.mostSessions ?? MOST_SESSIONS)
  return {
    add: (events, ranUnder) => test.add(readSession(present, events), ranUnder),
    result: () => ({
      document: addRules(present.document, accepted, { mode: 'shadow' }),
      ...findNewFaults(present, after, options),
      good: test.result(),
    }),
  }
}
