// The environment, parsed once: the only reader of process.env in the server. scripts/start.mjs sets these variables.
import 'server-only'
import { z } from 'zod'

const Env = z.object({
  DATABASE_URL: z.string().min(1),
  /** Secret of the login sessions, at least 32 characters. */
  SIGNALBOX_AUTH_SECRET: z.string().min(32),
  /** Ed25519 seed, 32 bytes in base64url; signs the bundles. */
  SIGNALBOX_SIGNING_KEY: z.string().min(43),
  /** Opens /setup while no user exists. */
  SIGNALBOX_SETUP_TOKEN: z.string().min(16),
  /** Public origin, e.g. http://127.0.0.1:3000. */
  SIGNALBOX_URL: z.url(),
  /** Key of the demo agent; registered at start when present. */
  SIGNALBOX_DEMO_KEY: z.string().optional(),
  /** off: this replica works on no jobs; some other one must. */
  SIGNALBOX_JOBS: z.enum(['on', 'off']).default('on'),
})

export type Env = z.output<typeof Env>

/** True under `next dev`. */
export function isDevelopment(): boolean {
  return process.env['NODE_ENV'] === 'development'
}

let parsed: Env | undefined

/** Read on first use, never at import: `next build` has no environment. Throws with the names of bad variables. */
export function env(): Env {
  if (parsed !== undefined) return parsed
  const result = Env.safeParse(process.env)
  if (!result.success) {
    const names = result.error.issues.map((issue) => issue.path.join('.')).join(', ')
    throw new Error(`The server's environment is incomplete: ${names}. Start it with "npm start".`)
  }
  parsed = result.data
  return parsed
}
