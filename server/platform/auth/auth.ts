// Users join by /setup or by invitation. The library needs the database, so this is the only module outside repositories with access.
import 'server-only'
import { betterAuth } from 'better-auth'
import { prismaAdapter } from 'better-auth/adapters/prisma'
import { env, urlPrefix } from '../base/env.ts'
import { registerReset } from '../base/process-memory.ts'
import { directory } from '../db/client.ts'
import { logger } from '../observability/log.mjs'
import { oneLine } from '../one-line.ts'
import { admissionRefusal, settleIn } from './admission.ts'
import { ADDRESS_HEADER } from './client-address.ts'
import { deleteResetLinks } from './members.sql.ts'
import { OIDC_PROVIDER, oidcPlugin, singleSignOn } from './oidc.ts'
import { trustedOrigins } from './origins.ts'
import { beginReset, RESET_MINUTES } from './password-reset.ts'

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

function create() {
  const { SIGNALBOX_AUTH_SECRET: secret, SIGNALBOX_URL: url } = env()
  const provider = singleSignOn()
  return betterAuth({
    appName: 'Signalbox',
    secret,
    // The whole address: the library adds its path only to an address without one.
    baseURL: `${url}${AUTH_PATH}`,
    trustedOrigins: [...trustedOrigins()],
    telemetry: { enabled: false },
    // A wrong password concerns the user, so it is not logged.
    logger: { level: 'error', disableColors: true, log },
    database: prismaAdapter(directory().prisma, { provider: 'postgresql', transaction: true }),
    user: {
      modelName: 'user',
      async validateUserInfo({ user, source }) {
        if (source.method !== 'oauth') return undefined
        const { email = '', emailVerified = false } = user
        const isNew = source.action === 'create-user'
        const error = await admissionRefusal({ email, emailVerified, isNew })
        return error === null ? undefined : { error }
      },
    },
    session: { modelName: 'authSession', expiresIn: 30 * DAY, updateAge: DAY },
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
      sendResetPassword: beginReset,
      onPasswordReset: ({ user }) => deleteResetLinks(user.id),
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
          before: async ({ userId }) => {
            const user = await directory().prisma.user.findUnique({ where: { id: userId } })
            if (user?.emailVerified === true) await settleIn(user)
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

let created: ReturnType<typeof create> | undefined
registerReset(() => {
  created = undefined
})

/** Reads the discovery document again if the last read failed, so a provider that was unreachable at the start requires no restart. */
export async function ensureProvider(): Promise<void> {
  if (singleSignOn() === null) return
  const { socialProviders } = await auth().$context
  if (!socialProviders.some(({ id }) => id === OIDC_PROVIDER)) created = create()
}

/** Created on first use, because the environment is missing during the build. */
export function auth(): ReturnType<typeof create> {
  created ??= create()
  return created
}
