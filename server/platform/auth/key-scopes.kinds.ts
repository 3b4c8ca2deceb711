/** Scopes that an API key may have. Forms read them too, so nothing of the server is imported. */
export const KEY_SCOPES = [
  'ingest',
  'read',
  'publish',
  'sessions:read',
  'approvals:answer',
  'labels:write',
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

/** Scopes that judge agents, which no key of an agent has, and what an agent could do with them. */
const AGENT_COULD: { readonly [scope in KeyScopeName]?: string } = {
  'approvals:answer': 'approve its own calls',
  'labels:write': 'praise its own sessions',
}

/** An agent that finds its own key must not approve its own calls or praise its own sessions. Null: a key may have these scopes and this expiry (epoch ms). */
export function findKeyProblem(
  scopes: readonly KeyScopeName[],
  expiresAt: number | null,
  now: number,
): KeyProblem | null {
  const judging = scopes.includes('ingest')
    ? scopes.find((scope) => scope in AGENT_COULD)
    : undefined
  if (judging !== undefined) {
    const message = `A key with "${judging}" cannot have "ingest": an agent could ${AGENT_COULD[judging]}. Create two keys.`
    return { field: 'scopes', message }
  }
  if (!scopes.includes('approvals:answer')) return null
  // A minute for the time between the choice and its arrival.
  const latest = now + MOST_ANSWERING_DAYS * 86_400_000 + 60_000
  return expiresAt === null || expiresAt > latest
    ? {
        field: 'expiresAt',
        message: `A key with "approvals:answer" expires within ${MOST_ANSWERING_DAYS} days.`,
      }
    : null
}
