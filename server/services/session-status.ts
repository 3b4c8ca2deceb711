// When a session that did not say goodbye counts as lost. One rule for lists, figures and attention items. Pure.

/** Without an event for this long, a session that has not ended is lost rather than running. Milliseconds. */
export const LOST_AFTER_MS = 15 * 60_000

export type SessionStatus = 'running' | 'ended' | 'lost'

/** `receivedAt`: when its newest event arrived. All in epoch ms. */
export function sessionStatus(
  session: { readonly endedAt: number | null; readonly receivedAt: number },
  now: number,
): SessionStatus {
  if (session.endedAt !== null) return 'ended'
  return now - session.receivedAt > LOST_AFTER_MS ? 'lost' : 'running'
}
