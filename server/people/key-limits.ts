// A key with the scope admin never grants what it lacks: no scope, environment, time or role.

import { ROLE_SCOPES } from '@signalbox/wire'
import type { KeyScopeName } from '@/server/platform/auth/key-scopes.kinds.ts'
import type { Grant } from '@/server/platform/auth/members.sql.ts'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'

function forbid(message: string, field: string): never {
  throw new ServiceError('forbidden', message, field)
}

interface GrantedKey {
  readonly environment: string
  readonly scopes: readonly KeyScopeName[]
  /** Epoch ms; null: never. */
  readonly expiresAt: number | null
}

function requireScopes(
  { key }: ProjectScope,
  needed: readonly KeyScopeName[],
  field: string,
): void {
  const lacking = needed.find((scope) => key !== undefined && !key.scopes.includes(scope))
  if (lacking === undefined) return
  forbid(`This API key lacks the scope "${lacking}", so it cannot grant it.`, field)
}

export function requireGrantableKey(scope: ProjectScope, wanted: GrantedKey): void {
  const { key } = scope
  if (key === undefined) return
  if (wanted.environment !== key.environment) {
    forbid(`This API key belongs to ${key.environment} and makes keys of it only.`, 'environment')
  }
  requireScopes(scope, wanted.scopes, 'scopes')
  if (key.expiresAt !== null && (wanted.expiresAt ?? Infinity) > key.expiresAt) {
    const end = new Date(key.expiresAt).toISOString()
    forbid(`This API key expires at ${end}. A key that it makes cannot expire later.`, 'expiresAt')
  }
}

export function requireGrantableRole(scope: ProjectScope, { role, publishIn }: Grant): void {
  const { key } = scope
  if (key === undefined) return
  const needed = ROLE_SCOPES[role]
  if (needed === null) forbid('Only users make admins.', 'role')
  requireScopes(scope, needed, 'role')
  if (role !== 'publisher') return
  if (publishIn?.every((name) => name === key.environment) !== true) {
    forbid(`This API key makes publishers of ${key.environment} only.`, 'publishIn')
  }
}

interface StreamedRecords {
  readonly audit: boolean
  readonly decisions: boolean
  /** Environment of the decisions; null: every one. */
  readonly environment: string | null
}

function findUnreadable(
  { key }: ProjectScope,
  { audit, decisions, environment }: StreamedRecords,
): { readonly why: string; readonly field: string } | null {
  if (key === undefined) return null
  const lacks = (scope: KeyScopeName): boolean => !key.scopes.includes(scope)
  if (audit && lacks('audit:read')) {
    return { why: 'This API key lacks the scope "audit:read".', field: 'audit' }
  }
  if (decisions && lacks('sessions:read')) {
    return { why: 'This API key lacks the scope "sessions:read".', field: 'decisions' }
  }
  return decisions && environment !== key.environment
    ? { why: `This API key reads decisions of ${key.environment} only.`, field: 'environment' }
    : null
}

/** A key sees only streams of what it may read itself. */
export function seesRecords(scope: ProjectScope, records: StreamedRecords): boolean {
  return findUnreadable(scope, records) === null
}

/** Throws when a key would have records sent that it may not read itself. */
export function requireReadableRecords(scope: ProjectScope, records: StreamedRecords): void {
  const found = findUnreadable(scope, records)
  if (found !== null) forbid(found.why, found.field)
}

/** Throws when a key would change or remove an admin. */
export function requireChangeable({ key }: ProjectScope, { role }: Grant): void {
  if (key !== undefined && role === 'admin') {
    throw new ServiceError('forbidden', 'Only users change or remove an admin.')
  }
}
