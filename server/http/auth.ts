// /api/auth/*: better-auth's own endpoints (sign-in, sign-out, session, password). Sign-up is closed.
import { auth, ensureProvider } from '../auth/auth.ts'
import { refuseLargeBody } from './body-limit.ts'

const MAX_BYTES = 64 * 1024

export async function handleAuth(request: Request): Promise<Response> {
  if (/\/(sign-in|link)(-|\/)social$/.test(new URL(request.url).pathname)) await ensureProvider()
  return refuseLargeBody(request, MAX_BYTES) ?? (await auth().handler(request))
}
