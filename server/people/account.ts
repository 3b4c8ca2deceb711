import { callbackAddress, singleSignOn } from '@/server/platform/auth/oidc.ts'
import type { SignedInUser } from '@/server/platform/auth/session.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { endLogins, type Login, listLogins, listProviders } from './logins.sql.ts'

export interface AccountView {
  readonly name: string
  readonly email: string
  readonly hasPassword: boolean
  readonly isConnected: boolean
  readonly hasSingleSignOn: boolean
  readonly logins: readonly (Login & { readonly isCurrent: boolean })[]
}

export async function loadAccount(user: SignedInUser): Promise<AccountView> {
  const [logins, providers] = await Promise.all([listLogins(user.id), listProviders(user.id)])
  return {
    name: user.name,
    email: user.email,
    hasPassword: providers.includes('credential'),
    isConnected: providers.some((id) => id !== 'credential'),
    hasSingleSignOn: singleSignOn() !== null,
    logins: logins.map((login) => ({ ...login, isCurrent: login.id === user.sessionId })),
  }
}

/** Takes effect at the next request of that browser. Rejects with `not_found` for a login that has ended or belongs to another user. */
export async function endLogin(user: SignedInUser, id: string): Promise<void> {
  if ((await endLogins(user.id, { id })) === 1) return
  throw new ServiceError('not_found', 'This login has already ended.')
}

export async function endOtherLogins(user: SignedInUser): Promise<{ readonly ended: number }> {
  return { ended: await endLogins(user.id, { except: user.sessionId }) }
}

export interface SingleSignOnView {
  readonly issuer: string
  readonly clientId: string
  readonly callback: string
  readonly allowedDomains: readonly string[]
  readonly defaultRole: string
}

/** Without the secret. Null: not configured. */
export function loadSingleSignOnView(): SingleSignOnView | null {
  const settings = singleSignOn()
  if (settings === null) return null
  const { issuer, clientId, allowedDomains, defaultRole } = settings
  return { issuer, clientId, callback: callbackAddress(), allowedDomains, defaultRole }
}
