// What a counter found of feedback, as rows of the list of deliveries. Pure.
import { eventIdOf } from '@signalbox/wire'
import type { DeliveryRow, SettledRow } from '../delivery-rows.sql.ts'
import type { SessionCounter } from './count-session.ts'

export interface CountedAdvice {
  readonly deliveries: readonly DeliveryRow[]
  /** Of deliveries that were listed before. */
  readonly settled: readonly SettledRow[]
}

/** Up to where a session's deliveries are listed once it is counted to `rolledSeq`: those of before are left to the job. */
export function listedAfter(
  before: { readonly rolledSeq: number; readonly listedSeq: number },
  rolledSeq: number,
): number {
  return before.listedSeq === before.rolledSeq ? rolledSeq : before.listedSeq
}

export function adviceRowsOf(
  { id: sessionId, environment }: { readonly id: string; readonly environment: string },
  { deliveries, settled }: Pick<SessionCounter, 'deliveries' | 'settled'>,
): CountedAdvice {
  return {
    deliveries: deliveries.map(({ digest, ...delivery }) => ({
      ...{ ...delivery, id: eventIdOf(sessionId, delivery.seq), environment, sessionId },
      configDigest: digest === '' ? null : digest,
    })),
    settled: settled.map((one) => ({ sessionId, ...one })),
  }
}
