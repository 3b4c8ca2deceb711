import type { Mark } from './cause.ts'
import type { Trail } from './trail.ts'

/** Sequence number of the first success after the event, by tool or by `fileKey`. */
export type Later = ReadonlyMap<string, number>

export interface Past {
  readonly trail: Trail
  readonly later: Later
}

export function missingTool({ trail, later }: Past, tool: string): readonly Mark[] {
  const open = [...trail.open.values()].filter((call) => call.tool === tool)
  return withLater(later.get(tool), [trail.attempts.get(tool), newestOpen(open)])
}

export function missingFile({ trail, later }: Past, file: string): readonly Mark[] {
  const open = [...trail.open.values()].filter(({ files }) => files.includes(file))
  return withLater(later.get(file), [trail.fileAttempts.get(file), newestOpen(open)])
}

function newestOpen(calls: readonly { readonly seq: number }[]): Mark | undefined {
  const seq = Math.max(...calls.map((call) => call.seq))
  return calls.length === 0 ? undefined : { seq, role: 'attempt_open' }
}

function withLater(
  later: number | undefined,
  before: readonly (Mark | undefined)[],
): readonly Mark[] {
  const known = before.filter((cause) => cause !== undefined)
  return later === undefined ? known : [...known, { seq: later, role: 'came_after' }]
}
