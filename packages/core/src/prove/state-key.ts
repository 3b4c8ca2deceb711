// Two states with one key get equal decisions for every next event, and have equal keys after it (the law that tests hold it to).
import { sessionValue } from '../expression-rules/session-input.ts'
import type { ExpressionValue } from '../model/expression-engine.ts'
import { isJsonObject, type JsonObject } from '../model/json.ts'
import { getIn, listEntries } from '../model/persistent-map.ts'
import { lastSuccess, type SessionState } from '../model/state.ts'
import type { Observed, RateObserved } from './observe.ts'

/** A call that was requested and has not ended. */
export interface OpenCall {
  readonly id: string
  readonly tool: string
  readonly args: JsonObject
  /** Text of all that decisions look at: calls with equal texts behave equally. */
  readonly input: string
  readonly isWaiting: boolean
}

export interface Place {
  /** One state for each config that is compared. */
  readonly lanes: readonly SessionState[]
  readonly open: readonly OpenCall[]
}

type Part = string | number

export function computeKey(observed: Observed, { lanes, open }: Place): string {
  const [state] = lanes
  if (state === undefined) return ''
  const parts = [
    ...listTallies(observed, state),
    ...listFields(observed, state),
    ...observed.rates.map((rate) => countLive(lanes[rate.lane], rate)),
    ...(observed.reads.size > 0 ? lanes.flatMap(listMarks) : []),
    ...open.map((call) => describeOpen(call, lanes).join('|')).sort(),
  ]
  return parts.join('|')
}

function listTallies(
  { successes, pairs, lasts, counts }: Observed,
  state: SessionState,
): readonly Part[] {
  const parts: Part[] = []
  for (const tool of successes) parts.push(lastSuccess(state, tool) === 0 ? 0 : 1)
  for (const [tool, other] of pairs.values())
    parts.push(lastSuccess(state, tool) > lastSuccess(state, other) ? 1 : 0)
  for (const tool of lasts) parts.push(getIn(state.tallies, tool)?.last ?? '')
  for (const { tool, field, most } of counts.values())
    parts.push(Math.min(getIn(state.tallies, tool)?.[field] ?? 0, most))
  return parts
}

function listFields({ session }: Observed, state: SessionState): readonly Part[] {
  const parts: Part[] = []
  for (const [field, constants] of session) {
    if (COUNTED.has(field)) parts.push(limitCount(readField(state, field), constants))
    else for (const constant of constants) parts.push(compareField(state, field, constant))
  }
  return parts
}

/** Fields that grow by one at a time. Of the others, only how they compare with a constant matters. */
const COUNTED = new Set(['calls', 'stop_blocks'])

function limitCount(value: unknown, constants: Iterable<unknown>): number {
  const numbers = [...constants].filter((constant) => typeof constant === 'number')
  const most = Math.max(0, ...numbers.map((number) => Math.ceil(number))) + 1
  return typeof value === 'number' ? Math.min(value, most) : 0
}

function compareField(state: SessionState, field: string, constant: unknown): Part {
  const value = readField(state, field)
  if (typeof value === 'number' && typeof constant === 'number') return Math.sign(value - constant)
  if (field.startsWith('plan.')) return `${state.plan?.done === state.plan?.steps.length}`
  return `${value === undefined ? '' : value === constant}`
}

/** `field`: as conditions name it, such as `plan.done`. undefined: absent. */
function readField(state: SessionState, field: string): ExpressionValue | undefined {
  const [name = ''] = field.split('.', 1)
  const value = sessionValue(state).get(name)
  if (name === field) return value
  return isJsonObject(value) ? value[field.slice(name.length + 1)] : undefined
}

function countLive(state: SessionState | undefined, { rule, ms, unit }: RateObserved): number {
  const window = state === undefined ? undefined : getIn(state.rates, rule)
  if (state === undefined || window === undefined) return 0
  const live = listEntries(window.ring).filter(([, { at }]) => state.at < at + ms).length
  return Math.floor(live / unit)
}

function listMarks(state: SessionState): readonly Part[] {
  return listEntries(state.reads).flatMap(([rule, marks]) => [
    rule,
    ...listEntries(marks).map(([path, { fingerprint }]) => `${path} ${fingerprint ?? ''}`),
  ])
}

function describeOpen(
  { id, tool, input, isWaiting }: OpenCall,
  lanes: readonly SessionState[],
): readonly Part[] {
  const kept = lanes.map((state) => {
    const call = getIn(state.pending, id)
    const isInTime = (call?.approval?.expiresAt ?? 0) > state.at
    return `${call?.denied === true} ${call?.approval !== null} ${isInTime}`
  })
  return [tool, input, isWaiting ? 1 : 0, ...kept]
}
