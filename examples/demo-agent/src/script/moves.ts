// Parts of the scripts. A script is the next move of a model, given what it has seen. Like real agents, the models work carelessly at
// first, and react to the messages that they receive.
import type { Transcript } from './transcript.ts'

type Input = Readonly<Record<string, unknown>>

export type Move =
  | { readonly kind: 'call'; readonly tool: string; readonly input: Input }
  | { readonly kind: 'answer'; readonly text: string }

/** Number of refusals after which the model abandons a goal. */
export const PATIENCE = 3
/** Number of calls without a success after which the model gives up. */
const GIVE_UP_AFTER = 4

export function call(tool: string, input: Input = {}): Move {
  return { kind: 'call', tool, input }
}

export function answer(text: string): Move {
  return { kind: 'answer', text }
}

/** Calls of the tool whose input has these values. */
function findCalls(seen: Transcript, tool: string, input: Input) {
  const wanted = Object.entries(input)
  return seen.calls.filter(
    (past) => past.tool === tool && wanted.every(([name, value]) => past.input[name] === value),
  )
}

export function tried(seen: Transcript, tool: string, input: Input = {}): boolean {
  return findCalls(seen, tool, input).length > 0
}

export function succeeded(seen: Transcript, tool: string, input: Input = {}): boolean {
  return findCalls(seen, tool, input).some(({ isError }) => !isError)
}

/** Includes failures. */
export function refusals(seen: Transcript, tool: string): number {
  return findCalls(seen, tool, {}).filter(({ isError }) => isError).length
}

export function wanted(seen: Transcript, tool: string): boolean {
  return !succeeded(seen, tool) && refusals(seen, tool) < PATIENCE
}

export function isHopeless(seen: Transcript): boolean {
  return seen.calls.length >= GIVE_UP_AFTER && seen.calls.every(({ isError }) => isError)
}

/** Writes the plan. Null: the recorded plan is current, or was refused too often. `done`: for each title, true if the step is finished. */
export function updatePlan(
  seen: Transcript,
  titles: readonly string[],
  done: readonly boolean[],
): Move | null {
  const current = done.indexOf(false)
  const steps = titles.map((title, i) => ({
    title,
    status: done[i] === true ? 'done' : i === current ? 'in_progress' : 'pending',
  }))
  const last = findCalls(seen, 'update_plan', {}).findLast(({ isError }) => !isError)
  const isCurrent = JSON.stringify(last?.input) === JSON.stringify({ steps })
  return isCurrent || refusals(seen, 'update_plan') >= PATIENCE
    ? null
    : call('update_plan', { steps })
}
