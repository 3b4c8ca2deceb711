// A snapshot may come from a file, so it is checked completely before anything changes.
import { GuardrailError } from '@signalbox/runtime/base'
import * as z from 'zod/v4'
import type { SliceKey } from './slice.ts'

const SnapshotV1 = z.strictObject({
  v: z.literal(1),
  session: z.string(),
  logs: z.boolean(),
  slices: z.record(z.string(), z.array(z.unknown())),
})

export interface SessionSnapshot {
  readonly v: 1
  readonly session: string
  readonly logs: boolean
  readonly slices: { readonly [name: string]: readonly unknown[] }
}

interface Expectation {
  readonly logs: boolean
  readonly known: (name: string) => SliceKey | undefined
}

/** Values by slice name. Throws GuardrailError `snapshot_invalid`. */
export function parseSnapshot(
  snapshot: unknown,
  { logs, known }: Expectation,
): ReadonlyMap<string, readonly unknown[]> {
  const parsed = SnapshotV1.safeParse(snapshot)
  if (!parsed.success) throw invalid('It is not a snapshot that this version can read.')
  const { slices, logs: held } = parsed.data
  if (logs && !held) throw invalid('It holds no log slices. Take it with { logs: true }.')
  const unknown = Object.keys(slices).find((name) => known(name) === undefined)
  if (unknown !== undefined)
    throw invalid(`The slice "${unknown}" is not known. Add it to the session's slices first.`)
  return new Map(Object.entries(slices).filter(([name]) => logs || known(name)?.kind === 'state'))
}

function invalid(why: string): GuardrailError {
  return new GuardrailError('snapshot_invalid', `The snapshot cannot be restored. ${why}`)
}
