// Off when its variables are absent. Only the user's identity is stored, no token of the provider (specs/people.md).
import 'server-only'
import { genericOAuth } from 'better-auth/plugins/generic-oauth'
import { env } from '../base/env.ts'
import { oneLine } from '../one-line.ts'
import type { Role } from './permissions.ts'

/** Name of the provider in `auth_accounts` and in the callback's address. */
export const OIDC_PROVIDER = 'oidc'

export interface SingleSignOn {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** Lowercase. A user with a verified address in one of them needs no invitation. */
  readonly allowedDomains: readonly string[]
  /** Role of such a user in the oldest project. */
  readonly defaultRole: Role
}

/** Null: not configured. */
export function singleSignOn(): SingleSignOn | null {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = env()
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return null
  const { OIDC_ALLOWED_DOMAINS: allowedDomains, OIDC_DEFAULT_ROLE: defaultRole } = env()
  return { issuer, clientId, clientSecret, allowedDomains, defaultRole }
}

/** Address to which the provider redirects users, and which must be registered there. */
export function callbackAddress(): string {
  return `${env().SIGNALBOX_URL}/api/auth/callback/${OIDC_PROVIDER}`
}

export function isAllowedDomain({ allowedDomains }: SingleSignOn, email: string): boolean {
  return allowedDomains.includes(email.slice(email.lastIndexOf('@') + 1).toLowerCase())
}

/** Sign-in by OpenID Connect: discovery, PKCE, state and nonce. The id token is checked against the provider's keys. */
export function oidcPlugin({ issuer, clientId, clientSecret }: SingleSignOn) {
  return genericOAuth({
    config: [
      {
        providerId: OIDC_PROVIDER,
        name: 'Single sign-on',
        discoveryUrl: `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
        requireIdTokenVerification: true,
        clientId,
        clientSecret,
        pkce: true,
        scopes: ['openid', 'email', 'profile'],
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
