// Sentences of the headers of the pages about people and keys, and the state of a key.
import { countText, plural } from '@signalbox/core/analysis'
import { DEMO_KEY_NAME } from '@/server/demo/demo-input.ts'
import { type Member, ROLES, type Role } from './grant.ts'

interface KeyDates {
  readonly revokedAt: number | null
  readonly expiresAt: number | null
  readonly lastUsedAt: number | null
}

const DAY_MS = 86_400_000
const MONTH_DAYS = 30

export type KeyState = 'works' | 'ending' | 'expired' | 'revoked'

export function computeKeyState(
  { revokedAt, expiresAt }: Pick<KeyDates, 'revokedAt' | 'expiresAt'>,
  now: number,
): KeyState {
  if (revokedAt !== null) return 'revoked'
  if (expiresAt === null || expiresAt - now > 7 * DAY_MS) return 'works'
  return expiresAt <= now ? 'expired' : 'ending'
}

export function isDemoKey({
  name,
  createdBy,
}: {
  readonly name: string
  readonly createdBy: string
}): boolean {
  return name === DEMO_KEY_NAME && createdBy === 'system'
}

/** `now`: epoch ms at which the keys were read. */
export function describeKeys(keys: readonly KeyDates[], now: number): string {
  const active = keys.filter((key) => ['works', 'ending'].includes(computeKeyState(key, now)))
  if (active.length === 0) return 'No active keys.'
  const end = now + MONTH_DAYS * DAY_MS
  const ending = active.filter(({ expiresAt }) => expiresAt !== null && expiresAt <= end).length
  const unused = active.filter(({ lastUsedAt }) => lastUsedAt === null).length
  const parts = [
    ...(ending === 0
      ? []
      : [`${countText(ending)} ${ending === 1 ? 'expires' : 'expire'} within ${MONTH_DAYS} days`]),
    ...(unused === 0 ? [] : [`${countText(unused)} ${unused === 1 ? 'was' : 'were'} never used`]),
  ]
  return `${[plural(active.length, 'active key'), parts.join(', ')].filter(Boolean).join('; ')}.`
}

/** `pending` undefined: the invitations are not known. */
export function describeUsers(
  members: readonly { readonly role: Role }[],
  pending: number | undefined,
): string {
  const roles = [...ROLES].reverse().flatMap((name) => {
    const count = members.filter(({ role }) => role === name).length
    return count === 0 ? [] : [plural(count, name)]
  })
  const users = `${plural(members.length, 'user')}: ${roles.join(', ')}`
  if (pending === undefined || pending === 0) return `${users}.`
  return `${users}; ${plural(pending, 'invitation')} ${pending === 1 ? 'is' : 'are'} pending.`
}

export function describeProjects(projects: readonly Pick<Member, 'role'>[]): string {
  const own = projects.filter(({ role }) => role === 'admin').length
  const all = `You belong to ${plural(projects.length, 'project')}`
  if (own === projects.length)
    return own === 1 ? `${all}, as an admin.` : `${all}, as an admin of each.`
  return own === 0
    ? `${all}, and are an admin of none.`
    : `${all}, and are an admin of ${countText(own)}.`
}
