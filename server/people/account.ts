import { findDecidingProvider } from '@/server/platform/auth/group-sign-in.ts'
import { callbackAddress, listIdentityProviders } from '@/server/platform/auth/oidc.ts'
import type { SignedInUser } from '@/server/platform/auth/session.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { endLogins, type Login, listLogins, listProviders } from './logins.sql.ts'

interface ConnectedProvider {
  readonly id: string
  readonly label: string
  readonly isConnected: boolean
  readonly hasGroups: boolean
}

export interface AccountView {
  readonly name: string
  readonly email: string
  readonly hasPassword: boolean
  readonly providers: readonly ConnectedProvider[]
  /** Label of the provider whose groups decide about the user's roles; null: none does. */
  readonly decidedBy: string | null
  readonly logins: readonly (Login & { readonly isCurrent: boolean })[]
}

export async function loadAccount(user: SignedInUser): Promise<AccountView> {
  const [logins, connected, deciding] = await Promise.all([
    listLogins(user.id),
    listProviders(user.id),
    findDecidingProvider(user.id),
  ])
  return {
    name: user.name,
    email: user.email,
    hasPassword: connected.includes('credential'),
    providers: listIdentityProviders().map(({ id, label, groups }) => ({
      id,
      label,
      isConnected: connected.includes(id),
      hasGroups: groups !== null,
    })),
    decidedBy: deciding?.label ?? null,
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

export interface IdentityProviderView {
  readonly id: string
  readonly label: string
  readonly issuer: string
  readonly clientId: string
  readonly callback: string
  readonly allowedDomains: readonly string[]
  readonly defaultRole: string
  /** Null: people give the roles. `without`: role without any of the groups, or `refuse`. */
  readonly groups: {
    readonly claim: string
    readonly count: number
    readonly without: string
  } | null
}

/** Without secrets, and without the names of groups. */
export function listProviderViews(): readonly IdentityProviderView[] {
  return listIdentityProviders().map((provider) => {
    const { id, label, issuer, clientId, allowedDomains, defaultRole, groups } = provider
    const about = { id, label, issuer, clientId, allowedDomains, defaultRole }
    const count = new Set(groups?.map.map(({ group }) => group)).size
    return {
      ...about,
      callback: callbackAddress(provider),
      groups: groups === null ? null : { claim: groups.claim, count, without: groups.without },
    }
  })
}
