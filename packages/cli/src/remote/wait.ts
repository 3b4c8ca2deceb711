// A rejection ends the wait. Without a connected runtime that hosts the prompt, the wait ends immediately: the first release of a prompt
// usually precedes its first agent.

import { setTimeout as pause } from 'node:timers/promises'
import { plural } from '@signalbox/core/analysis'
import { ReleaseAdoption } from '@signalbox/wire'
import { type Io, Unusable } from '../base/io.ts'
import { printable } from '../base/printable.ts'
import type { ControlPlane } from './control-plane.ts'
import type { Row } from './report.ts'

const POLL_MS = 500

function isSettled({ status }: ReleaseAdoption): boolean {
  return status !== 'publishing'
}

function describeAdoption({
  status,
  applied,
  total,
  environment,
  version,
  runtimes,
}: ReleaseAdoption): string {
  const what = `v${version} in ${environment}`
  const refusals = runtimes
    .filter(({ state }) => state === 'rejected')
    .map(({ name, reason }) => `${name} rejected it: ${reason ?? 'no reason given'}`)
  switch (status) {
    case 'live':
      return total === 0
        ? `${what} is live; the runtimes that applied it have disconnected`
        : `${what} is live on ${applied} of ${plural(total, 'connected runtime')}`
    case 'waiting':
      return `no runtime of ${environment} that hosts the prompt is connected, so there is nothing to wait for; runtimes get v${version} when they connect`
    case 'publishing':
      return `${what} was applied by ${applied} of ${plural(total, 'connected runtime')} in time`
    case 'partial':
      return `${what} was applied by ${applied} of ${total}; ${refusals.join('; ')}`
    case 'superseded':
      return `${what} was replaced by another release`
    case 'rolled_back':
      return `${what} was rolled back`
    default:
      return status satisfies never
  }
}

/** A row is a finding unless its release is live within `timeoutMs`, or no connected runtime hosts the prompt. */
export async function waitForAdoption(
  plane: ControlPlane,
  io: Io,
  { rows, timeoutMs }: { readonly rows: readonly Row[]; readonly timeoutMs: number },
): Promise<readonly Row[]> {
  const until = Date.now() + timeoutMs
  const waited: Row[] = []
  for (const row of rows) {
    const id = row['release']
    if (typeof id !== 'string') {
      waited.push(row)
      continue
    }
    io.err(printable(`Waiting for the runtimes that host ${row.ns}/${row.key} …`))
    let adoption = await read(plane, id)
    while (!isSettled(adoption) && Date.now() < until) {
      await pause(POLL_MS)
      adoption = await read(plane, id)
    }
    const { status } = adoption
    const isFinding = status !== 'live' && status !== 'waiting'
    waited.push({ ...row, adoption: status, isFinding, lines: [describeAdoption(adoption)] })
  }
  return waited
}

async function read(plane: ControlPlane, id: string): Promise<ReleaseAdoption> {
  return await plane.need({ path: `/releases/${id}`, schema: ReleaseAdoption })
}

interface Search {
  readonly status: string | null
  readonly error: string | null
}

/** Reads a search until it is done. Rejects with its reason when it ended otherwise. */
export async function waitForSearch<Found extends Search>(
  read: () => Promise<Found>,
  everyMs: number,
): Promise<Found> {
  for (;;) {
    const found = await read()
    if (found.status === 'done') return found
    if (found.status !== 'queued' && found.status !== 'running') {
      throw new Unusable(found.error ?? 'The search was canceled.')
    }
    await pause(everyMs)
  }
}
