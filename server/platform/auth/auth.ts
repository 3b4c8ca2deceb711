// better-auth, set up once: email and password, single sign-on if the environment names a provider, sessions in our tables, no sign-up
// (users join by /setup or by invitation), no telemetry. The only module outside repositories with the database, because the library needs
// it.
import 'server-only'
import { betterAuth } from 'better-auth'
import { prismaAdapter } from 'better-auth/adapters/prisma'
import { database } from '../db/client.ts'
import { env, urlPrefix } from '../env.ts'
import { logger } from '../observability/log.mjs'
import { oneLine } from '../one-line.ts'
import { onForget } from '../process-memory.ts'
import { admissionRefusal, settleIn } from './admission.ts'
import { ADDRESS_HEADER } from './client-address.ts'
import { OIDC_PROVIDER, oidcPlugin, singleSignOn } from './oidc.ts'
import { trustedOrigins } from './origins.ts'

/** Path of its endpoints, below the server's own address. */
export const AUTH_PATH = '/api/auth'
const DAY = 86_400
const MOST_LOGGED = 2_000

/**
 * The library's log arguments may contain requests and answers of the provider: the message is enough, and contains no secret. It may quote
 * the request, which must not begin a line.
 */
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
    // Whole: the library adds its path to an address without one only.
    baseURL: `${url}${AUTH_PATH}`,
    trustedOrigins: [...trustedOrigins()],
    telemetry: { enabled: false },
    // A wrong password is the user's business, not the operator's log.
    logger: { level: 'error', disableColors: true, log },
    database: prismaAdapter(database().prisma, { provider: 'postgresql', transaction: true }),
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
    // Linking needs an address that both sides verified, or a person who is signed in (decision 33).
    account: { modelName: 'authAccount', updateAccountOnSignIn: false },
    verification: { modelName: 'authVerification' },
    emailAndPassword: { enabled: true, disableSignUp: true, minPasswordLength: 10 },
    // server/platform/auth/sign-in-limits.ts, which all replicas share.
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
            const user = await database().prisma.user.findUnique({ where: { id: userId } })
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
onForget(() => {
  created = undefined
})

/**
 * Reads the provider's discovery document again when it could not be read before: a provider that was unreachable at the start of this
 * process must not require a restart.
 */
export async function ensureProvider(): Promise<void> {
  if (singleSignOn() === null) return
  const { socialProviders } = await auth().$context
  if (!socialProviders.some(({ id }) => id === OIDC_PROVIDER)) created = create()
}

/** Made on first use: the environment is not there while the app is built. */
export function auth(): ReturnType<typeof create> {
  created ??= create()
  return created
}
