// /api/auth/*: better-auth's own endpoints (sign-in, sign-out, session, password). Sign-up is closed.
import { auth } from '../auth/auth.ts'

export function handleAuth(request: Request): Promise<Response> {
  return auth().handler(request)
}
