// The state between two batches is stored in the session's row. Any order of arrival gives the same result. Pure.
import type { EventOf, SessionEvent } from '@signalbox/core'
import { COULD_NOT_EVALUATE, isShadowDenial, wouldBlock } from '@signalbox/core/analysis'
import { isCountedSession, isImportedSession } from '@signalbox/wire'
import { storableText } from '@/server/platform/sql/storable-text.ts'
import {
  type ActOutcome,
  callFingerprint,
  findAct,
  settleOutcome,
  type Waiting,
  WITHIN_CALLS,
} from './advice-watch.ts'
import { type RollupCounts, toSeriesName } from './series.ts'

/** Code of a stop that a check under `max_stop_blocks` 0 would have blocked. */
const WOULD_BLOCK = 'stop.would_block'

interface DeniedCall {
  readonly call: string
  readonly at: number
  readonly digest: string
  readonly code: string
  readonly tool: string
}

/** Stored as JSON in `sessions.rollup_state`; null there: nothing counted yet. */
export interface Counted {
  readonly ns: string
  readonly key: string
  /** Digest of the version with which it began; empty: none. */
  readonly digest: string
  readonly startedAt: number | null
  readonly deadlineAt: number | null
  readonly via: string
  readonly refused: number
  /** Null: no plan. */
  readonly plan: { readonly done: number; readonly total: number } | null
  /** Ids and fingerprints of the newest calls, the newest last. */
  readonly calls: readonly (readonly [id: string, fingerprint: string])[]
  readonly waiting: readonly Waiting[]
  /** The newest denied calls that were not allowed later. The constructor adds it to stored state of an earlier version. */
  readonly denied: readonly DeniedCall[]
}

export function parseCounted(text: string | null): Counted | null {
  // Written from a SessionCounter's `counted`, here and in storeBatch.
  return text === null ? null : (JSON.parse(text) as Counted)
}

/** New end of a session's listed deliveries once it is counted to `rolledSeq`. If earlier ones are not listed, the job lists these too. */
export function listedAfter(
  before: { readonly rolledSeq: number; readonly listedSeq: number },
  rolledSeq: number,
): number {
  return before.listedSeq === before.rolledSeq ? rolledSeq : before.listedSeq
}

const NOTHING: Counted = {
  ns: '?',
  key: '?',
  digest: '',
  startedAt: null,
  deadlineAt: null,
  via: 'turn_end',
  refused: 0,
  plan: null,
  calls: [],
  waiting: [],
  denied: [],
}

/** Number of concurrent calls that are tracked; advice about an older call does not know it. */
const MOST_CALLS = 8
const MOST_WAITING = 40
const MOST_DENIED = 40
const LONGEST_ID = 64
/** Attempts, tenths and quarters from this value on are counted as one. */
const MOST_ATTEMPTS = 5
const MOST_TENTHS = 11

/** A call of an earlier batch, or one of this batch, whose fingerprint is computed when something needs it. */
type Call = readonly [id: string, call: string | EventOf<'tool.requested'>]

type Mutable = { -readonly [Name in Exclude<keyof Counted, 'calls'>]: Counted[Name] } & {
  calls: readonly Call[]
}

function toFingerprint(call: Call[1]): string {
  return typeof call === 'string' ? call : callFingerprint(call)
}

export interface CountedEnd {
  /** Percent of the time to its deadline; null: it had none. */
  readonly timeUsed: number | null
  /** Value of the series plan_end; -1: no plan. */
  readonly planEnd: number
}

/** Outcome of a delivery's advice; null: it suggested no observable action; `unknown`: the type of its provider is not known. */
export type Followed = 'yes' | 'no' | 'ended' | 'open' | 'unknown' | null

export interface CountedDelivery {
  readonly seq: number
  readonly at: number
  readonly ns: string
  readonly key: string
  /** Empty: no config. */
  readonly digest: string
  readonly provider: string
  readonly name: string
  readonly severity: string
  /** Its first 1,000 characters. */
  readonly says: string
  readonly followed: Followed
}

export interface SettledAdvice {
  readonly seq: number
  readonly followed: Followed
}

const FOLLOWED = {
  expected: 'open',
  followed: 'yes',
  not_followed: 'no',
  ended: 'ended',
} as const satisfies Record<ActOutcome, Followed>

const CONTENT_ACTIONS: ReadonlyMap<string, string> = new Map(
  ['masked', 'withheld', 'denied', 'warned', 'not_checked'].map((action) => [
    `content.${action}`,
    action,
  ]),
)

const MOST_SAID = 1_000

export class SessionCounter {
  readonly #counts: RollupCounts
  readonly #now: Mutable
  readonly #deliveries = new Map<number, CountedDelivery>()
  readonly #settled: SettledAdvice[] = []
  readonly #allowed: { readonly seq: number; readonly until: number }[] = []
  #end: CountedEnd | null = null
  #isCounted = true

  /** `from`: state after the earlier events; null: there are none. */
  constructor(counts: RollupCounts, from: Counted | null) {
    this.#counts = counts
    this.#now = { ...NOTHING, ...from }
  }

  get counted(): Counted {
    const calls = this.#now.calls.map(([id, call]) => [id, toFingerprint(call)] as const)
    return { ...this.#now, calls }
  }

  get allowed(): readonly { readonly seq: number; readonly until: number }[] {
    return this.#allowed
  }

  get deliveries(): readonly CountedDelivery[] {
    return [...this.#deliveries.values()]
  }

  get settled(): readonly SettledAdvice[] {
    return this.#settled
  }

  /** Null: none of the events that were added ended it. */
  get end(): CountedEnd | null {
    return this.#end
  }

  #tally(...count: Parameters<RollupCounts['add']>): void {
    if (this.#isCounted) this.#counts.add(...count)
  }

  /**
   * Skips imported sessions, because nothing was enforced in them. Lists the deliveries of the demo, but counts none. A delivery of
   * semantics 1 gets its type from `countEvents`.
   */
  add(event: SessionEvent): void {
    if (isImportedSession(event.session)) return
    this.#isCounted = isCountedSession(event.session)
    this.#settle(event)
    switch (event.type) {
      case 'session.started':
        this.#start(event)
        break
      case 'tool.requested':
        this.#remember(event)
        break
      case 'tool.decided':
        this.#decide(event)
        break
      case 'content.decided':
        this.#countContent(event)
        break
      case 'feedback.delivered':
        this.#deliver(event)
        break
      case 'plan.updated': {
        const { steps } = event.data
        const done = steps.filter(({ status }) => status === 'done').length
        this.#now.plan = { done, total: steps.length }
        break
      }
      case 'stop.attempted':
        this.#now.via = event.data.via
        break
      case 'stop.decided':
        this.#stop(event)
        break
      case 'session.ended':
        this.#finish(event)
        break
      default:
        break
    }
  }

  #remember(event: EventOf<'tool.requested'>): void {
    const before = this.#now.calls.slice(1 - MOST_CALLS)
    this.#now.calls = [...before, [event.data.call_id.slice(0, LONGEST_ID), event]]
  }

  #prompt(event: SessionEvent) {
    const { ns, key, digest } = this.#now
    return { ns, key, digest: event.config === undefined ? digest : storableText(event.config) }
  }

  #start(event: EventOf<'session.started'>): void {
    const { ns, key, deadline_at } = event.data
    this.#now.ns = storableText(ns)
    this.#now.key = storableText(key)
    this.#now.digest = storableText(event.config ?? '')
    this.#now.startedAt = event.at
    this.#now.deadlineAt = deadline_at ?? null
    this.#tally(this.#prompt(event), event.at, { kind: 'session' })
  }

  #decide(event: EventOf<'tool.decided'>): void {
    const { decision, tool, rules } = event.data
    const prompt = this.#prompt(event)
    this.#tally(prompt, event.at, { kind: 'call', a: decision })
    this.#countContent(event)
    const id = event.data.call_id.slice(0, LONGEST_ID)
    const requested = this.#now.calls.find(([call]) => call === id)?.[1]
    if (decision === 'allowed') {
      const shadow = rules.find(isShadowDenial)
      if (shadow !== undefined) {
        const names = { a: shadow.rule, b: tool, c: shadow.code }
        this.#tally(prompt, event.at, { kind: 'would_deny', ...names })
      }
      if (requested !== undefined) this.#allowLater(requested)
      return
    }
    const deciding = rules.find(({ mode, result }) => mode === 'enforce' && result !== 'allow')
    const code = decision === 'error' ? COULD_NOT_EVALUATE : (deciding?.code ?? '')
    const names = { a: deciding?.rule ?? '', b: tool, c: code }
    this.#tally(prompt, event.at, { kind: 'denial', ...names })
    if (requested === undefined) return
    const { at } = event
    const denied = { call: toFingerprint(requested), at, digest: prompt.digest, code, tool }
    this.#now.denied = [...this.#now.denied.slice(1 - MOST_DENIED), denied]
  }

  /** Counted at the denial, so that a share of an hour is of its denials. */
  #allowLater(requested: Call[1]): void {
    const { denied, ns, key } = this.#now
    if (denied.length === 0) return
    const allowed = toFingerprint(requested)
    this.#now.denied = denied.filter(({ call, at, digest, code: a, tool: b }) => {
      if (call !== allowed) return true
      this.#tally({ ns, key, digest }, at, { kind: 'allowed_later', a, b })
      return false
    })
  }

  /** Shadow rules only write to the log. */
  #countContent(event: EventOf<'tool.decided' | 'content.decided'>): void {
    const { tool, rules } = event.data
    for (const { rule, mode, code } of rules) {
      const action = mode === 'enforce' ? CONTENT_ACTIONS.get(code) : undefined
      if (action === undefined) continue
      this.#tally(this.#prompt(event), event.at, {
        kind: 'content',
        a: rule,
        b: tool,
        c: action,
      })
    }
  }

  #deliver(event: EventOf<'feedback.delivered'>): void {
    const { mode, provider, name, severity, summary, call_id } = event.data
    // A shadow provider only writes to the log.
    if (mode !== 'enforce') return
    const { at, seq } = event
    const prompt = this.#prompt(event)
    const act = findAct(event.data)
    this.#tally(prompt, at, { kind: 'feedback', a: provider, b: name, c: severity })
    this.#deliveries.set(seq, {
      seq,
      at,
      ...prompt,
      severity,
      followed: act === 'unknown' ? 'unknown' : null,
      // Names as in the series, so that the bar of a chart finds its rows.
      provider: toSeriesName(provider),
      name: toSeriesName(name),
      says: storableText(summary.slice(0, MOST_SAID)),
    })
    if (act === null || act === 'unknown') return
    const call = this.#now.calls.find(([id]) => id === call_id.slice(0, LONGEST_ID))?.[1]
    const waiting = {
      seq,
      at,
      digest: prompt.digest,
      provider,
      name,
      act,
      call: call === undefined ? null : toFingerprint(call),
      done: this.#now.plan?.done ?? 0,
      left: WITHIN_CALLS,
    }
    this.#count(waiting, 'expected')
    this.#now.waiting = [...this.#now.waiting.slice(1 - MOST_WAITING), waiting]
  }

  /** Counted at the delivery, so that a delivery and its outcome are in the same hour. */
  #count({ seq, at, digest, provider, name }: Waiting, outcome: ActOutcome): void {
    const { ns, key } = this.#now
    const names = { a: provider, b: name, c: outcome }
    this.#tally({ ns, key, digest }, at, { kind: 'act', ...names })
    if (seq === undefined) return
    const followed = FOLLOWED[outcome]
    const delivery = this.#deliveries.get(seq)
    if (delivery === undefined) this.#settled.push({ seq, followed })
    else this.#deliveries.set(seq, { ...delivery, followed })
  }

  #settle(event: SessionEvent): void {
    if (this.#now.waiting.length === 0) return
    const call = event.type === 'tool.requested' ? callFingerprint(event) : null
    const steps = event.type === 'plan.updated' ? event.data.steps : []
    const seen = { call, done: steps.filter(({ status }) => status === 'done').length }
    const left = event.type === 'tool.invoked' ? 1 : 0
    this.#now.waiting = this.#now.waiting.flatMap((waiting) => {
      const outcome = settleOutcome(waiting, event, seen)
      if (outcome === null)
        return [left === 0 ? waiting : { ...waiting, left: waiting.left - left }]
      this.#count(waiting, outcome)
      return []
    })
  }

  #stop(event: EventOf<'stop.decided'>): void {
    const { verdict, code } = event.data
    const { via, refused } = this.#now
    const prompt = this.#prompt(event)
    // A check that only records lets the stop through, as a rule in shadow mode lets a call through.
    const names = wouldBlock(event.data)
      ? { a: 'allowed', b: WOULD_BLOCK }
      : { a: verdict, b: code }
    this.#tally(prompt, event.at, { kind: 'stop', ...names, c: via })
    // The final verification is the runtime's own, not a stop attempt.
    if (via === 'final') return
    if (verdict === 'allowed') {
      const until = refused + 1
      const a = String(Math.min(MOST_ATTEMPTS, until))
      this.#tally(prompt, event.at, { kind: 'until', a })
      this.#allowed.push({ seq: event.seq, until })
    }
    this.#now.refused = verdict === 'blocked' || verdict === 'error' ? refused + 1 : 0
  }

  #finish(event: EventOf<'session.ended'>): void {
    const { at } = event
    const prompt = this.#prompt(event)
    this.#tally(prompt, at, { kind: 'ended', a: event.data.reason })
    const { plan } = this.#now
    const planEnd = toQuarter(plan)
    this.#tally(prompt, at, { kind: 'plan_end', a: planEnd })
    const timeUsed = percentUsed(this.#now, at)
    if (timeUsed !== null) {
      const a = String(Math.min(MOST_TENTHS, Math.floor(timeUsed / 10)))
      this.#tally(prompt, at, { kind: 'time_used', a })
    }
    this.#end = { timeUsed, planEnd: planEnd === 'none' ? -1 : Number(planEnd) }
    this.#now.calls = []
    this.#now.denied = []
  }
}

const MOST_PERCENT = 10_000

/** Null: no deadline. */
function percentUsed(
  { startedAt, deadlineAt }: Pick<Counted, 'startedAt' | 'deadlineAt'>,
  at: number,
): number | null {
  if (startedAt === null || deadlineAt === null) return null
  const share = deadlineAt > startedAt ? (at - startedAt) / (deadlineAt - startedAt) : MOST_PERCENT
  return Math.max(0, Math.min(MOST_PERCENT, Math.floor(share * 100)))
}

/** `0` none done, `1` less than a quarter, … `4` less than all, `5` all. */
function toQuarter(plan: Counted['plan']): string {
  if (plan === null || plan.total === 0) return 'none'
  if (plan.done === 0) return '0'
  if (plan.done >= plan.total) return '5'
  return String(1 + Math.floor((plan.done / plan.total) * 4))
}
