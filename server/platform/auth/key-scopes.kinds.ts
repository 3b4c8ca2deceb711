/** Scopes that an API key may have. Forms read them too, so nothing of the server is imported. */
export const KEY_SCOPES = [
  'ingest',
  'read',
  'publish',
  'sessions:read',
  'approvals:answer',
  'audit:read',
  'admin',
] as const

export type KeyScopeName = (typeof KEY_SCOPES)[number]

/** Longest time for which a key with `approvals:answer` works. */
const MOST_ANSWERING_DAYS = 90

interface KeyProblem {
  readonly field: 'scopes' | 'expiresAt'
  readonly message: string
}

/** An agent that finds its own key must not approve its own calls. Null: a key may have these scopes and this expiry (epoch ms). */
export function findKeyProblem(
  scopes: readonly KeyScopeName[],
  expiresAt: number | null,
  now: number,
): KeyProblem | null {
  if (!scopes.includes('approvals:answer')) return null
  if (scopes.includes('ingest')) {
    const message =
      'A key with "approvals:answer" cannot have "ingest": an agent could approve its own calls. Create two keys.'
    return { field: 'scopes', message }
  }
  // A minute for the time between the choice and its arrival.
  const latest = now + MOST_ANSWERING_DAYS * 86_400_000 + 60_000
  return expiresAt === null || expiresAt > latest
    ? {
        field: 'expiresAt',
        message: `A key with "approvals:answer" expires within ${MOST_ANSWERING_DAYS} days.`,
      }
    : null
}
