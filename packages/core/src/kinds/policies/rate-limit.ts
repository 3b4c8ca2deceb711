// rate_limit: at most so many allowed calls of some tools in any stretch of so many seconds. Remembers the last
// `max_calls` of them, so a check costs the same whatever the limit.

import { emptyMap, getIn, setIn } from '../../model/persistent-map.ts'
import type { RuleBase } from '../../model/rule.ts'
import type { RateWindow, SessionState, StateDraft } from '../../model/state.ts'
import { allow, deny, type Finding } from './finding.ts'
import { type Policy, policyOf } from './policy.ts'

/** At most `max_calls` allowed calls of all `tools` together in any `per_seconds` seconds. */
export interface RateLimitDocument extends RuleBase {
  readonly type: 'rate_limit'
  readonly tools: readonly string[]
  readonly max_calls: number
  readonly per_seconds: number
}

const NEW_WINDOW: RateWindow = { admitted: 0, ring: emptyMap() }

export function rateLimit(document: RateLimitDocument): Policy {
  return policyOf({
    denies: document.tools,
    check: (call, state) => check(document, call.tool, state),
    needsCall: false,
    rate: { tools: document.tools, admit: (draft) => admit(document, draft) },
  })
}

function windowOf(id: string, state: SessionState): RateWindow {
  return getIn(state.rates, id) ?? NEW_WINDOW
}

/** The place of the oldest remembered call, which the next one overwrites. */
function nextPlace({ max_calls }: RateLimitDocument, { admitted }: RateWindow): string {
  return String(admitted % max_calls)
}

function check(document: RateLimitDocument, tool: string, state: SessionState): Finding {
  const { max_calls, per_seconds } = document
  const known = windowOf(document.id, state)
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
  const known = windowOf(document.id, draft)
  const call = { seq: draft.seq, at: draft.at }
  const ring = setIn(known.ring, nextPlace(document, known), call)
  draft.rates = setIn(draft.rates, document.id, { admitted: known.admitted + 1, ring })
}
