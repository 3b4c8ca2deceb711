// Off when its variables are absent. Only the user's identity is stored, no token of the provider (specs/people.md).
import 'server-only'
import { genericOAuth } from 'better-auth/plugins/generic-oauth'
import { env } from '../base/env.ts'
import type { GroupRules } from '../base/identity-providers.mjs'
import { SINGLE_PROVIDER } from '../base/variables.mjs'
import { oneLine } from '../one-line.ts'
import type { Role } from './permissions.ts'

export interface SingleSignOn {
  /** Name of the provider in `auth_accounts` and in the callback's address. */
  readonly id: string
  /** Completes "Sign in with …". */
  readonly label: string
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** Lowercase. A user with a verified address in one of them needs no invitation. */
  readonly allowedDomains: readonly string[]
  /** Role of such a user in the oldest project. */
  readonly defaultRole: Role
  /** Null: people give the roles. */
  readonly groups: GroupRules | null
}

/** A provider whose groups decide about roles. */
export type GroupProvider = SingleSignOn & { readonly groups: GroupRules }

function readSingleProvider(): readonly SingleSignOn[] {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = env()
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return []
  const { OIDC_ALLOWED_DOMAINS: allowedDomains, OIDC_DEFAULT_ROLE: defaultRole } = env()
  const label = 'single sign-on'
  const about = { id: SINGLE_PROVIDER, label, allowedDomains, defaultRole, groups: null }
  return [{ ...about, issuer, clientId, clientSecret }]
}

/** In the order of the sign-in page. Empty: no single sign-on. */
export function listIdentityProviders(): readonly SingleSignOn[] {
  const { OIDC_PROVIDERS: others = [] } = env()
  return [
    ...readSingleProvider(),
    ...others.map(({ id, label, issuer, groups = null, ...rest }) => ({
      ...{ id, label, issuer, groups },
      clientId: rest.client_id,
      clientSecret: rest.client_secret,
      allowedDomains: rest.allowed_domains,
      defaultRole: rest.default_role,
    })),
  ]
}

/** Null: not configured, or no longer. */
export function findIdentityProvider(id: string | null): SingleSignOn | null {
  return listIdentityProviders().find((provider) => provider.id === id) ?? null
}

export function hasGroups(provider: SingleSignOn | null): provider is GroupProvider {
  return provider !== null && provider.groups !== null
}

/** Address to which the provider redirects users, and which must be registered there. */
export function callbackAddress({ id }: SingleSignOn): string {
  return `${env().SIGNALBOX_URL}/api/auth/callback/${id}`
}

export function isAllowedDomain({ allowedDomains }: SingleSignOn, email: string): boolean {
  return allowedDomains.includes(email.slice(email.lastIndexOf('@') + 1).toLowerCase())
}

/** Sign-in by OpenID Connect: discovery, PKCE, state and nonce. The id token is checked against the provider's keys. */
export function oidcPlugin({ id, label, issuer, clientId, clientSecret, groups }: SingleSignOn) {
  return genericOAuth({
    config: [
      {
        providerId: id,
        name: label,
        discoveryUrl: `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
        requireIdTokenVerification: true,
        clientId,
        clientSecret,
        pkce: true,
        scopes: ['openid', 'email', 'profile', ...(groups?.scopes ?? [])],
        // Without an id token the library would use the unsigned data of userinfo; an empty subject is refused.
        accountSubject: ({ tokens, profile }) =>
          tokens.idToken === undefined ? '' : String(profile['sub'] ?? ''),
        mapProfileToUser: (profile) => ({
          // Only the boolean true counts.
          emailVerified: profile['email_verified'] === true,
          name: readProfileName(profile),
        }),
      },
    ],
  })
}

function readProfileName(profile: Readonly<Record<string, unknown>>): string {
  const { name, preferred_username: username, email } = profile
  const told = [name, username, email].find((one) => typeof one === 'string' && one.trim() !== '')
  const shown = [...oneLine(String(told ?? ''))].slice(0, 80).join('').trim()
  return shown === '' ? 'Unnamed' : shown
}
