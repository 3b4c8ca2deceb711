// Only those better-auth endpoints that the console uses. Bodies are validated before they are counted or read.
import { z } from 'zod'
import { AUTH_PATH, auth, ensureProvider } from '@/server/platform/auth/auth.ts'
import { ADDRESS_HEADER, clientAddress } from '@/server/platform/auth/client-address.ts'
import { OIDC_PROVIDER } from '@/server/platform/auth/oidc.ts'
import { limitPasswordChange, limitSignIn } from '@/server/platform/auth/sign-in-limits.ts'
import { createThrottle, toNetwork } from '@/server/platform/auth/throttle.ts'
import { urlPrefix } from '@/server/platform/base/env.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { mailSender } from '@/server/platform/mail.ts'
import { requireStorable } from '@/server/platform/unstorable.ts'
import { refuseLargeBody } from './body-limit.ts'
import { readJson } from './json-body.ts'
import { answer, problemResponse } from './problem.ts'

const MAX_BYTES = 64 * 1024

/** Limits the sign-ins at the identity provider that one address starts, because each stores a row until it ends. */
const starts = createThrottle({ name: 'sign-ins begun', limit: 60, windowMs: 60_000 })

/** Requests and uses of links that one address may send. */
const resets = createThrottle({ name: 'password resets', limit: 10, windowMs: 60_000 })
/** Links for one account, so that no one fills a mailbox. */
const links = createThrottle({ name: 'password links', limit: 3, windowMs: 900_000 })

type Ask = (body?: object) => Promise<Response>
type Endpoint = (headers: Headers, body: unknown, ask: Ask) => Promise<Response>

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
  provider: z.literal(OIDC_PROVIDER),
  callbackURL: Path.optional(),
  errorCallbackURL: Path.optional(),
  disableRedirect: z.boolean().optional(),
})

const Address = z.object({ email: z.email().max(254) })
const NewPassword = z.object({ token: z.string().min(1).max(128), newPassword: Password })

/** Parses only the fields that the library needs. */
function read<T extends object>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const field = issue?.path.join('.') ?? ''
  throw new ServiceError('invalid', `${field}: ${issue?.message ?? 'wrong'}`, field)
}

const viaProvider: Endpoint = async (headers, body, ask) => {
  const start = read(Start, body)
  if (!(await starts.admit(toNetwork(clientAddress(headers))))) {
    throw new ServiceError('limit', 'Too many sign-ins were started. Wait a minute and try again.')
  }
  await ensureProvider()
  return await ask(start)
}

async function limitResets(headers: Headers): Promise<void> {
  if (await resets.admit(toNetwork(clientAddress(headers)))) return
  throw new ServiceError('limit', 'Too many attempts. Wait a minute and try again.')
}

/** Answers the same for an address without an account, and for one that was sent too many links. */
const requestReset: Endpoint = async (headers, body, ask) => {
  const { email } = read(Address, body)
  if (mailSender() === null) {
    throw new ServiceError('invalid', 'This server sends no email. Ask an admin for help.', 'email')
  }
  await limitResets(headers)
  if (await links.admit(email.toLowerCase())) {
    const answered = await ask({ email })
    if (!answered.ok) return answered
  }
  return Response.json({ status: true })
}

export const AUTH_ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  'POST /sign-in/email': (headers, body, ask) => {
    const credentials = read(Credentials, body)
    return limitSignIn(headers, credentials.email, () => ask(credentials))
  },
  'POST /change-password': (headers, body, ask) => {
    const change = read(PasswordChange, body)
    return limitPasswordChange(headers, () => ask(change))
  },
  'POST /request-password-reset': requestReset,
  'POST /reset-password': async (headers, body, ask) => {
    const change = read(NewPassword, body)
    await limitResets(headers)
    return await ask(change)
  },
  'POST /sign-out': (_headers, _body, ask) => ask({}),
  'POST /sign-in/social': viaProvider,
  'POST /link-social': viaProvider,
  'GET /callback/oidc': (_headers, _body, ask) => ask(),
  // Target of a callback that belongs to no known request.
  'GET /error': (_headers, _body, ask) => ask(),
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
  const endpoint = AUTH_ENDPOINTS[`${request.method} ${url.pathname.slice(AUTH_PATH.length)}`]
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
  return await endpoint(request.headers, body, (asked) => {
    const sent = asked === undefined ? {} : { body: JSON.stringify(asked) }
    // Next removes the prefix, but the library compares the whole path.
    const address = new URL(`${urlPrefix()}${url.pathname}${url.search}`, url)
    return auth().handler(new Request(address, { method: request.method, headers, ...sent }))
  })
}

/** Answers contain data of one user, so no cache may store them. */
export async function handleAuth(request: Request): Promise<Response> {
  const { body, status, headers } = await answer(() => handle(request))
  const kept = new Headers(headers)
  kept.set('cache-control', 'no-store')
  return new Response(body, { status, headers: kept })
}
