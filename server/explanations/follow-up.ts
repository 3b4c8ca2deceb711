import { type LogPlace, type LogRow, readLog } from '@/server/sessions/log/session-log.sql.ts'

export interface FollowUp {
  readonly nextCall: {
    readonly seq: number
    readonly tool: string
    readonly text: string
    readonly afterMs: number
  } | null
  readonly events: number
}

const HORIZON = 1_000

export async function readFollowUp(
  place: LogPlace,
  decided: Pick<LogRow, 'seq' | 'at'>,
  maxSeq: number,
): Promise<FollowUp> {
  const [call] = await readLog(place, {
    from: decided.seq + 1,
    to: decided.seq + HORIZON,
    limit: 1,
    types: ['tool.requested'],
  })
  const nextCall =
    call === undefined
      ? null
      : {
          seq: call.seq,
          tool: call.subject ?? '',
          text: call.summary ?? '',
          afterMs: call.at - decided.at,
        }
  return { nextCall, events: Math.max(0, maxSeq - decided.seq) }
}
