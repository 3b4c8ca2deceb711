// Users join by /setup or by invitation. The library needs the database, so this is the only module outside repositories with access.
import 'server-only'
import { type BetterAuthOptions, betterAuth } from 'better-auth'
import { prismaAdapter } from 'better-auth/adapters/prisma'
import { APIError, getOAuthState } from 'better-auth/api'
import { env, urlPrefix } from '../base/env.ts'
import { registerCache } from '../base/process-memory.ts'
import { directory } from '../db/client.ts'
import { logger } from '../observability/log.mjs'
import { oneLine } from '../one-line.ts'
import { admissionRefusal, linkRefusal, settleByGroups, settleIn } from './admission.ts'
import { ADDRESS_HEADER, clientAddress } from './client-address.ts'
import { readGroups } from './group-roles.ts'
import { findDecidingProvider, type GroupArrival } from './group-sign-in.ts'
import { hasGroups, oidcPlugin, type SingleSignOn } from './oidc.ts'
import { trustedOrigins } from './origins.ts'
import { finishReset, mailReset, RESET_MINUTES } from './password-reset.ts'

export const AUTH_PATH = '/api/auth'
const DAY = 86_400
const MOST_LOGGED = 2_000

/** Logs only the message: arguments may contain requests. The message may quote the request, which must not start a line. */
function log(level: string, message: string, ...rest: readonly unknown[]): void {
  const causes = rest.flatMap((one) =>
    one instanceof Error ? [`${one.name}: ${one.message}`] : [],
  )
  logger.error(
    { cause: level },
    oneLine(['sign-in', message, ...causes].join('; ')).slice(0, MOST_LOGGED),
  )
}

/** Groups of people whose account is being created, until it has an id. */
const newcomers = new WeakMap<Request, GroupArrival>()

const HOUR_MS = 3_600_000

const readOrigin = (headers: Headers | undefined): string | null =>
  headers === undefined ? null : clientAddress(headers)

/** With a password, or by another provider, a user would keep roles that the deciding one no longer gives. */
function requireDeciding({ id, label }: SingleSignOn, provider: SingleSignOn | null): void {
  if (id === provider?.id) return
  const message = `Your roles come from groups of ${label}. Sign in with ${label}.`
  throw new APIError('FORBIDDEN', { code: 'other_provider_decides', message })
}

type Gate = NonNullable<NonNullable<BetterAuthOptions['user']>['validateUserInfo']>

/** Admits or refuses who comes from the provider, before anything is written about newcomers. */
function createGate(provider: SingleSignOn): Gate {
  return async ({ user, source }, { request, headers }) => {
    const { id: userId = null, email = '', emailVerified = false } = user
    const isLink = source.action === 'link-account'
    // A signed-in user connects the provider. Its groups decide at the next sign-in by it.
    if (isLink && (await getOAuthState())?.link !== undefined) return undefined
    const profile = source.oauth?.profile ?? {}
    const how = { provider, origin: readOrigin(headers) }
    const unlinked = isLink && userId !== null ? await linkRefusal(userId, provider) : null
    const error =
      unlinked ?? (await admissionRefusal({ email, emailVerified, userId, profile }, how))
    if (error !== null) return { error }
    if (userId === null && request !== undefined && hasGroups(provider)) {
      const groups = readGroups(profile, provider.groups.claim) ?? []
      newcomers.set(request, { ...how, provider, groups })
    }
    return undefined
  }
}

/** `provider`: whose sign-in this instance serves, so that one that is away holds up no other; null: only passwords and sessions. */
function create(provider: SingleSignOn | null) {
  const { SIGNALBOX_AUTH_SECRET: secret, SIGNALBOX_URL: url } = env()
  return betterAuth({
    appName: 'Signalbox',
    secret,
    // The whole address: the library adds its path only to an address without one.
    baseURL: `${url}${AUTH_PATH}`,
    trustedOrigins: [...trustedOrigins()],
    telemetry: { enabled: false },
    onAPIError: { errorURL: `${url}/login` },
    // A wrong password concerns the user, so it is not logged.
    logger: { level: 'error', disableColors: true, log },
    database: prismaAdapter(directory().prisma, { provider: 'postgresql', transaction: true }),
    user: {
      modelName: 'user',
      ...(provider === null ? {} : { validateUserInfo: createGate(provider) }),
    },
    // Never extended: a refresh would give a session that groups limit to hours the full 30 days.
    session: { modelName: 'authSession', expiresIn: 30 * DAY, disableSessionRefresh: true },
    // Linking requires an address that both sides verified, or a signed-in user (decision 33).
    account: { modelName: 'authAccount', updateAccountOnSignIn: false },
    verification: {
      modelName: 'authVerification',
      storeIdentifier: { default: 'plain', overrides: { 'reset-password': 'hashed' } },
    },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: 10,
      sendResetPassword: mailReset,
      onPasswordReset: ({ user }, request) => finishReset(user, readOrigin(request?.headers)),
      resetPasswordTokenExpiresIn: RESET_MINUTES * 60,
      revokeSessionsOnPasswordReset: true,
    },
    // All replicas share the limits of server/platform/auth/sign-in-limits.ts instead.
    rateLimit: { enabled: false },
    databaseHooks: {
      account: {
        create: {
          // The server never acts for the user at the provider, so its tokens are not stored.
          before: async (account) => ({
            data: { ...account, accessToken: null, refreshToken: null, idToken: null },
          }),
        },
      },
      session: {
        create: {
          before: async ({ userId }, context) => {
            const request = context?.request
            const arrival = request === undefined ? undefined : newcomers.get(request)
            const user = await directory().prisma.user.findUnique({ where: { id: userId } })
            if (user === null) return undefined
            if (arrival !== undefined) {
              const refused = await settleByGroups(user, arrival)
              if (refused !== null) throw new APIError('FORBIDDEN', { code: refused })
            }
            const deciding = await findDecidingProvider(userId)
            if (deciding === null) {
              if (user.emailVerified) await settleIn(user, provider)
              return undefined
            }
            requireDeciding(deciding, provider)
            const hours = deciding.groups.session_hours
            return { data: { expiresAt: new Date(Date.now() + hours * HOUR_MS) } }
          },
        },
      },
    },
    plugins: provider === null ? [] : [oidcPlugin(provider)],
    advanced: {
      cookiePrefix: 'signalbox',
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER] },
      useSecureCookies: url.startsWith('https:'),
      defaultCookieAttributes: { sameSite: 'lax', httpOnly: true, path: urlPrefix() || '/' },
    },
  })
}

const created = registerCache(new Map<string, ReturnType<typeof create>>())

/** Created on first use, because the environment is missing during the build. A provider that cannot be reached is asked again at the next sign-in. */
export function auth(provider: SingleSignOn | null = null): ReturnType<typeof create> {
  const id = provider?.id ?? ''
  const known = created.get(id)
  if (known !== undefined) return known
  const made = create(provider)
  created.set(id, made)
  return made
}
