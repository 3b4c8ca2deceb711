// Failures count by the caller's address, never by the account alone, so that a stranger cannot lock a user out (specs/people.md).
import 'server-only'
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { env, urlPrefix } from '../base/env.ts'
import { ServiceError } from '../base/errors.ts'
import { clientAddress } from './client-address.ts'
import { createThrottle, type Throttle, toNetwork } from './throttle.ts'

const windowMs = 60_000
const perAddress = createThrottle({ name: 'guesses of an address', limit: 60, windowMs })
const perAccount = createThrottle({ name: 'guesses at an account', limit: 10, windowMs })

const COOKIE = 'signalbox.device'
const YEAR = 31_536_000

function readCookie(headers: Headers, name: string): string | null {
  const pairs = (headers.get('cookie') ?? '').split(';').map((pair) => pair.trim())
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? null
}

function signDevice(id: string, account: string): Buffer {
  const { SIGNALBOX_AUTH_SECRET: secret } = env()
  return createHmac('sha256', secret).update(`device\0${id}\0${account}`).digest()
}

/** Id of the browser, if the account was signed in with it before; null otherwise. */
function knownDevice(headers: Headers, account: string): string | null {
  const [id = '', proof = ''] = (readCookie(headers, COOKIE) ?? '').split('.')
  const given = Buffer.from(proof, 'base64url')
  const right = signDevice(id, account)
  return given.length === right.length && timingSafeEqual(given, right) ? id : null
}

function deviceCookie(account: string): string {
  const id = randomBytes(16).toString('base64url')
  const value = `${id}.${signDevice(id, account).toString('base64url')}`
  const secure = env().SIGNALBOX_URL.startsWith('https:') ? '; Secure' : ''
  return `${COOKIE}=${value}; Path=${urlPrefix()}/api/auth; Max-Age=${YEAR}; HttpOnly; SameSite=Lax${secure}`
}

/** Counts the attempt before the work and takes it back after a success, so that concurrent attempts cannot exceed the limit. */
async function limited(
  tries: readonly (readonly [Throttle, string])[],
  work: () => Promise<Response>,
): Promise<Response> {
  for (const [throttle, key] of tries) {
    if (await throttle.admit(key)) continue
    const message = 'Too many wrong passwords. Wait a minute and try again.'
    throw new ServiceError('limit', message)
  }
  const response = await work()
  if (response.ok) for (const [throttle, key] of tries) await throttle.forgive(key)
  return response
}

/** Rejects with `limit`. */
export async function limitSignIn(
  headers: Headers,
  email: string,
  signIn: () => Promise<Response>,
): Promise<Response> {
  const account = email.toLowerCase()
  const device = knownDevice(headers, account)
  if (device !== null) return await limited([[perAccount, `${account} device ${device}`]], signIn)
  const network = toNetwork(clientAddress(headers))
  const response = await limited(
    [
      [perAddress, network],
      [perAccount, `${account} from ${network}`],
    ],
    signIn,
  )
  if (response.ok) response.headers.append('set-cookie', deviceCookie(account))
  return response
}

/** For the current password, which a signed-in user must enter. Rejects with `limit`. */
export async function limitPasswordChange(
  headers: Headers,
  change: () => Promise<Response>,
): Promise<Response> {
  const names = ['__Secure-', ''].map((prefix) => `${prefix}signalbox.session_token`)
  const login = names.map((name) => readCookie(headers, name)).find((value) => value !== null) ?? ''
  const network = toNetwork(clientAddress(headers))
  return await limited(
    [
      [perAddress, network],
      [perAccount, `login ${login}`],
    ],
    change,
  )
}
