// Only those better-auth endpoints that the console uses. Bodies are validated before they are counted or read.
import { parseForm } from '@signalbox/wire'
import { z } from 'zod'
import { AUTH_PATH, auth } from '@/server/platform/auth/auth.ts'
import { ADDRESS_HEADER, clientAddress } from '@/server/platform/auth/client-address.ts'
import { findDecidingProvider } from '@/server/platform/auth/group-sign-in.ts'
import { findIdentityProvider, type SingleSignOn } from '@/server/platform/auth/oidc.ts'
import { findUser } from '@/server/platform/auth/session.ts'
import { limitPasswordChange, limitSignIn } from '@/server/platform/auth/sign-in-limits.ts'
import { createThrottle, toNetwork } from '@/server/platform/auth/throttle.ts'
import { urlPrefix } from '@/server/platform/base/env.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { registerReset } from '@/server/platform/base/process-memory.ts'
import { mailSender } from '@/server/platform/mail.ts'
import { logger } from '@/server/platform/observability/log.mjs'
import { requireStorable } from '@/server/platform/unstorable.ts'
import { refuseLargeBody } from './body-limit.ts'
import { readJson } from './json-body.ts'
import { answer, problemResponse } from './problem.ts'

const MAX_BYTES = 64 * 1024

/** Limits the sign-ins at the identity provider that one address starts, because each stores a row until it ends. */
const starts = createThrottle({ name: 'sign-ins begun', limit: 60, windowMs: 60_000 })

/** Requests and uses of links that one address may send. */
const resets = createThrottle({ name: 'password resets', limit: 10, windowMs: 60_000 })
/** Links for one account that one address may have sent, so that a stranger does not use up the links of a user. */
const linksFrom = createThrottle({ name: 'password links from', limit: 3, windowMs: 900_000 })
/** Links for one account, so that no one fills a mailbox. A link lives longer than this window, so an unused one always works. */
const links = createThrottle({ name: 'password links', limit: 12, windowMs: 900_000 })

interface Call {
  readonly headers: Headers
  /** Id of the provider, from a callback's address; empty for other endpoints. */
  readonly id: string
}

/** Without a body for GET; without a provider for passwords. */
type Ask = (body?: object, provider?: SingleSignOn) => Promise<Response>
type Endpoint = (call: Call, body: unknown, ask: Ask) => Promise<Response>

const Password = z.string().min(1).max(128)
const Credentials = z.object({ email: z.email().max(254), password: Password })
const PasswordChange = z.object({
  currentPassword: Password,
  newPassword: Password,
  revokeOtherSessions: z.boolean().optional(),
})
const Path = z
  .string()
  .max(2_000)
  .regex(/^\/[^\p{Cc}]*$/u)
const Start = z.object({
  provider: z.string().max(40),
  callbackURL: Path.optional(),
  errorCallbackURL: Path.optional(),
  disableRedirect: z.boolean().optional(),
})

const Address = z.object({ email: z.email().max(254) })
const NewPassword = z.object({ token: z.string().min(1).max(128), newPassword: Password })

/** Parses only the fields that the library needs. */
function read<T extends object>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = parseForm(schema, body)
  if (parsed.ok) return parsed.value
  const [{ path, message }] = parsed.problems
  const field = path.join('.')
  throw new ServiceError('invalid', `${field}: ${message}`, field)
}

function requireProvider(id: string): SingleSignOn {
  const provider = findIdentityProvider(id)
  if (provider !== null) return provider
  throw new ServiceError('not_found', 'This server has no such identity provider.')
}

const viaProvider: Endpoint = async ({ headers }, body, ask) => {
  const start = read(Start, body)
  const provider = requireProvider(start.provider)
  if (!(await starts.admit(toNetwork(clientAddress(headers))))) {
    throw new ServiceError('limit', 'Too many sign-ins were started. Wait a minute and try again.')
  }
  return await ask(start, provider)
}

const changePassword: Endpoint = async ({ headers }, body, ask) => {
  const change = read(PasswordChange, body)
  const user = await findUser(headers)
  const deciding = user === null ? null : await findDecidingProvider(user.id)
  if (deciding !== null) {
    const message = `You sign in with ${deciding.label}, so a password has no use here.`
    throw new ServiceError('conflict', message)
  }
  return await limitPasswordChange(headers, () => ask(change))
}

async function limitResets(headers: Headers): Promise<void> {
  if (await resets.admit(toNetwork(clientAddress(headers)))) return
  throw new ServiceError('limit', 'Too many attempts. Wait a minute and try again.')
}

async function sendReset(email: string, network: string, ask: Ask): Promise<void> {
  const account = email.toLowerCase()
  if (!(await linksFrom.admit(`${account} from ${network}`))) return
  if (!(await links.admit(account))) return
  const answered = await ask({ email })
  if (!answered.ok) throw new Error(`the library answered ${answered.status}`)
}

/** Links that are being sent. */
const sending = new Set<Promise<void>>()
registerReset(async () => void (await Promise.all(sending)))

/** Works after the answer, so that neither the answer nor its delay shows if the address has an account. */
const requestReset: Endpoint = async ({ headers }, body, ask) => {
  const { email } = read(Address, body)
  if (mailSender() === null) {
    throw new ServiceError('invalid', 'This server sends no email. Ask an admin for help.', 'email')
  }
  await limitResets(headers)
  const sent = sendReset(email, toNetwork(clientAddress(headers)), ask)
    .catch((error: unknown) => {
      const cause = error instanceof Error ? error.message : String(error)
      logger.error({ cause }, 'a link for a new password was not sent')
    })
    .finally(() => sending.delete(sent))
  sending.add(sent)
  return Response.json({ status: true })
}

export const AUTH_ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  'POST /sign-in/email': ({ headers }, body, ask) => {
    const credentials = read(Credentials, body)
    return limitSignIn(headers, credentials.email, () => ask(credentials))
  },
  'POST /change-password': changePassword,
  'POST /request-password-reset': requestReset,
  'POST /reset-password': async ({ headers }, body, ask) => {
    const change = read(NewPassword, body)
    await limitResets(headers)
    return await ask(change)
  },
  'POST /sign-out': (_call, _body, ask) => ask({}),
  'POST /sign-in/social': viaProvider,
  'POST /link-social': viaProvider,
  'GET /callback/:id': async ({ id }, _body, ask) => await ask(undefined, requireProvider(id)),
}

async function readBody(request: Request): Promise<unknown> {
  if (request.method === 'GET') return undefined
  if (!/^application\/json\b/i.test(request.headers.get('content-type') ?? '')) {
    throw new ServiceError('invalid', 'Send the body as application/json.')
  }
  return await readJson(request, MAX_BYTES)
}

async function handle(request: Request): Promise<Response> {
  const url = new URL(request.url)
  const { method } = request
  const path = url.pathname.slice(AUTH_PATH.length)
  const [, id = ''] = /^\/callback\/([^/]+)$/.exec(path) ?? []
  const endpoint = AUTH_ENDPOINTS[`${method} ${id === '' ? path : '/callback/:id'}`]
  if (endpoint === undefined) {
    const detail = 'There is nothing at this address.'
    return problemResponse({ status: 404, title: 'Not found', detail })
  }
  const refused = refuseLargeBody(request, MAX_BYTES)
  if (refused !== null) return refused
  const body = await readBody(request)
  requireStorable([body, ...url.searchParams.values()])
  const headers = new Headers(request.headers)
  headers.delete('content-length')
  headers.set(ADDRESS_HEADER, clientAddress(request.headers) ?? '')
  const ask: Ask = (asked, provider) => {
    const sent = asked === undefined ? {} : { body: JSON.stringify(asked) }
    // Next removes the prefix, but the library compares the whole path.
    const address = new URL(`${urlPrefix()}${url.pathname}${url.search}`, url)
    return auth(provider).handler(new Request(address, { method, headers, ...sent }))
  }
  return await endpoint({ headers: request.headers, id }, body, ask)
}

/** Answers contain data of one user, so no cache may store them. */
export async function handleAuth(request: Request): Promise<Response> {
  const { body, status, headers } = await answer(() => handle(request))
  const kept = new Headers(headers)
  kept.set('cache-control', 'no-store')
  return new Response(body, { status, headers: kept })
}
