// Stores the last `max_calls` calls, so that the cost of a check does not depend on the limit.

import { perSecondsText, plural } from '../../model/count-text.ts'
import { emptyMap, getIn, listEntries, mapFrom, setIn } from '../../model/persistent-map.ts'
import type { RuleBase } from '../../model/rule.ts'
import type { RateWindow, SessionState, StateDraft } from '../../model/state.ts'
import { step } from '../base/policy-reason.ts'
import { names, text } from '../base/rule-words.ts'
import { allow, deny, type Finding } from './finding.ts'
import { createPolicy, type Policy } from './policy.ts'
import {
  compareNumbers,
  compareRest,
  compareTools,
  listedTools,
  noApproval,
  none,
  type PolicyRule,
  type PolicyWords,
  type RateView,
} from './policy-rule.ts'

/** At most `max_calls` allowed calls, of all `tools` together, in any `per_seconds` seconds. */
export interface RateLimitDocument extends RuleBase {
  readonly type: 'rate_limit'
  readonly tools: readonly string[]
  readonly max_calls: number
  readonly per_seconds: number
}

const NEW_WINDOW: RateWindow = { admitted: 0, ring: emptyMap() }

export function rateLimit(document: RateLimitDocument): Policy {
  return createPolicy({
    denies: document.tools,
    check: (call, state) => check(document, call.tool, state),
    needsCall: false,
    rate: { tools: document.tools, admit: (draft) => admit(document, draft) },
  })
}

function getRateWindow(id: string, state: SessionState): RateWindow {
  return getIn(state.rates, id) ?? NEW_WINDOW
}

function nextPlace({ max_calls }: RateLimitDocument, { admitted }: RateWindow): string {
  return String(admitted % max_calls)
}

function check(document: RateLimitDocument, tool: string, state: SessionState): Finding {
  const { max_calls, per_seconds } = document
  const known = getRateWindow(document.id, state)
  const oldest = getIn(known.ring, nextPlace(document, known))
  const freeAt = oldest === undefined ? state.at : oldest.at + per_seconds * 1000
  const params = { max_calls, per_seconds }
  if (oldest === undefined || state.at >= freeAt) {
    return allow('rate.within_limit', params)
  }
  const wait = Math.ceil((freeAt - state.at) / 1000)
  const reason = `Tool '${tool}' is limited to ${counted(max_calls, 'call')} per ${counted(per_seconds, 'second')}. Try again in ${counted(wait, 'second')}.`
  const retry = { ...params, tool, retry_after_seconds: wait }
  return deny('rate.exceeded', retry, { reason, because: [oldest.seq] })
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

function admit(document: RateLimitDocument, draft: StateDraft): void {
  const known = getRateWindow(document.id, draft)
  const call = { seq: draft.seq, at: draft.at }
  const ring = setIn(known.ring, nextPlace(document, known), call)
  draft.rates = setIn(draft.rates, document.id, { admitted: known.admitted + 1, ring })
}

export const rateLimitRule: PolicyRule<RateLimitDocument> = {
  governs: ({ tools }) => tools,
  denies: ({ tools }) => tools,
  toolsNamed: listedTools,
  toolsWatched: none,
  prerequisites: none,
  deniesAlways: () => false,
  seesCommands: false,
  approvalSeconds: noApproval,
  errors: none,
  // Stricter: fewer calls, or a longer period. More tools are stricter, too: they share the limit, so each tool gets fewer calls.
  compare: (pair) => [
    ...compareTools(pair, 'limits'),
    ...compareNumbers(pair, { field: 'max_calls', strictSide: -1 }),
    ...compareNumbers(pair, { field: 'per_seconds', strictSide: 1 }),
    ...compareRest(pair, ['tools', 'max_calls', 'per_seconds', 'optional']),
  ],
  carryOver: (before, after, { rate }) => {
    const coversTools = before.tools.every((tool) => after.tools.includes(tool))
    if (rate === undefined || !coversTools) return {}
    return { rate: layOut(rate, before.max_calls, after.max_calls) }
  },
  needsToolOnly: true,
  view: (document, state) => ({ sequences: [], rates: [viewRate(document, state)] }),
}

/** Keeps the newest calls; each gets another slot. */
function layOut({ admitted, ring }: RateWindow, places: number, now: number): RateWindow {
  if (places === now) return { admitted, ring }
  const count = Math.min(admitted, places, now)
  const calls = Array.from({ length: count }, (_, i) => {
    const index = admitted - count + i
    const call = getIn(ring, String(index % places))
    return call === undefined ? [] : [[String(index % now), call] as const]
  })
  return { admitted, ring: mapFrom(calls.flat()) }
}

function viewRate(document: RateLimitDocument, state: SessionState): RateView {
  const { id, mode = 'enforce', tools, max_calls: maxCalls, per_seconds: perSeconds } = document
  const calls = listEntries(getRateWindow(id, state).ring).map(([, call]) => call)
  const ends = calls.map(({ at }) => at + perSeconds * 1000).filter((end) => end > state.at)
  const freeAt = ends.length < maxCalls ? null : Math.min(...ends)
  return { rule: id, mode, tools, maxCalls, perSeconds, used: ends.length, freeAt }
}

export const rateLimitWords: PolicyWords<RateLimitDocument> = {
  describe: ({ tools, max_calls, per_seconds }) =>
    `At most ${plural(max_calls, 'call')} of ${names(tools, 'or')} ${perSecondsText(per_seconds)}`,
  sentences: {
    'rate.within_limit': (p) =>
      `Within the limit of ${text(p['max_calls'])} in ${text(p['per_seconds'])} s`,
    'rate.exceeded': (p) =>
      `${text(p['tool'])} reached the limit of ${text(p['max_calls'])} in ${text(p['per_seconds'])} s`,
  },
  reasons: {
    'rate.within_limit': { basis: 'calls' },
    'rate.exceeded': {
      basis: 'calls',
      steps: ({ params }) => [
        step(
          'agent',
          `Wait until there are fewer calls in the last ${String(params['per_seconds'])} s`,
        ),
      ],
    },
  },
}
