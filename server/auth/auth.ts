// better-auth, set up once: e-mail and password, sessions in our tables, no sign-up (people come from /setup or from an
// admin), no telemetry. The only module outside repositories that holds the database, because the library wants it.
import 'server-only'
import { betterAuth } from 'better-auth'
import { prismaAdapter } from 'better-auth/adapters/prisma'
import { APIError, createAuthMiddleware } from 'better-auth/api'
import { database } from '../db/client.ts'
import { env } from '../env.ts'
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

function create() {
  const { SIGNALBOX_AUTH_SECRET: secret, SIGNALBOX_URL: baseURL } = env()
  return betterAuth({
    appName: 'Signalbox',
    secret,
    baseURL,
    basePath: '/api/auth',
    trustedOrigins: [...trustedOrigins()],
    telemetry: { enabled: false },
    // A wrong password is the user's business, not the operator's log.
    logger: { level: 'error' },
    database: prismaAdapter(database().prisma, { provider: 'postgresql', transaction: true }),
    user: { modelName: 'user' },
    session: { modelName: 'authSession', expiresIn: 30 * DAY, updateAge: DAY },
    account: { modelName: 'authAccount' },
    verification: { modelName: 'authVerification' },
    emailAndPassword: { enabled: true, disableSignUp: true, minPasswordLength: 10 },
    rateLimit: {
      enabled: true,
      window: 60,
      max: 300,
      customRules: { '/sign-in/email': { window: 60, max: 60 } },
    },
    hooks: { before: throttleAccount },
    advanced: {
      cookiePrefix: 'signalbox',
      useSecureCookies: baseURL.startsWith('https:'),
      defaultCookieAttributes: { sameSite: 'lax', httpOnly: true },
    },
  })
}

let created: ReturnType<typeof create> | undefined

/** Made on first use: the environment is not there while the app is built. */
export function auth(): ReturnType<typeof create> {
  created ??= create()
  return created
}
