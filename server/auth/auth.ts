// better-auth, set up once: e-mail and password, single sign-on where the environment names a provider, sessions in our tables,
// no sign-up (people come from /setup or by invitation), no telemetry. The only module outside repositories that holds the
// database, because the library wants it.
import 'server-only'
import { betterAuth } from 'better-auth'
import { prismaAdapter } from 'better-auth/adapters/prisma'
import { APIError, createAuthMiddleware } from 'better-auth/api'
import { database } from '../db/client.ts'
import { env } from '../env.ts'
import { onForget } from '../process-memory.ts'
import { admissionRefusal, settleIn } from '../services/admission.ts'
import { OIDC_PROVIDER, oidcPlugin, singleSignOn } from './oidc.ts'
import { trustedOrigins } from './origins.ts'
import { createThrottle } from './throttle.ts'

const DAY = 86_400

/** Sign-ins tried for one e-mail address, whatever address they come from: 10 a minute. */
const perAccount = createThrottle({ limit: 10, windowMs: 60_000 })

const throttleAccount = createAuthMiddleware(async (ctx) => {
  if (ctx.path !== '/sign-in/email') return
  const body: unknown = ctx.body
  const email =
    typeof body === 'object' && body !== null && 'email' in body && typeof body.email === 'string'
      ? body.email.toLowerCase()
      : ''
  if (!perAccount.admit(email, Date.now())) {
    throw new APIError('TOO_MANY_REQUESTS', {
      message: 'Too many sign-ins for this account. Wait a minute and try again.',
    })
  }
})

/** What the library logs may hold requests and answers of the provider: the message is enough, and says no secret. */
function log(level: string, message: string, ...rest: readonly unknown[]): void {
  const causes = rest.flatMap((one) =>
    one instanceof Error ? [`${one.name}: ${one.message}`] : [],
  )
  process.stderr.write(`signalbox: sign-in, ${level}: ${[message, ...causes].join('; ')}\n`)
}

function create() {
  const { SIGNALBOX_AUTH_SECRET: secret, SIGNALBOX_URL: baseURL } = env()
  const provider = singleSignOn()
  return betterAuth({
    appName: 'Signalbox',
    secret,
    baseURL,
    basePath: '/api/auth',
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
    rateLimit: {
      enabled: true,
      window: 60,
      max: 300,
      customRules: { '/sign-in/email': { window: 60, max: 60 } },
    },
    hooks: { before: throttleAccount },
    databaseHooks: {
      account: {
        create: {
          // Nothing here acts for the person at the provider, so its tokens are not kept.
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
      useSecureCookies: baseURL.startsWith('https:'),
      defaultCookieAttributes: { sameSite: 'lax', httpOnly: true },
    },
  })
}

let created: ReturnType<typeof create> | undefined
onForget(() => {
  created = undefined
})

/**
 * Reads the provider's discovery document again when it could not be read before: a provider that was away when this process
 * started must not need a restart.
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
