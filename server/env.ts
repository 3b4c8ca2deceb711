// The environment, parsed once: the only reader of process.env in the server. scripts/start.mjs sets these variables.
import 'server-only'
import { z } from 'zod'
import { onForget } from './process-memory.ts'

const MAIL = ['SIGNALBOX_SMTP_URL', 'SIGNALBOX_MAIL_FROM'] as const
const OIDC = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const

function listed(text: string): readonly string[] {
  return text
    .toLowerCase()
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean)
}

const Variables = z.object({
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
  /** Hosts inside of the network, with port or without, that alerts may be sent to; separated by commas. */
  SIGNALBOX_WEBHOOK_HOSTS: z.string().default('').transform(listed),
  /** Where e-mail is handed over: smtps://user:password@host, or smtp:// for STARTTLS. With MAIL_FROM, or not at all. */
  SIGNALBOX_SMTP_URL: z.url({ protocol: /^smtps?$/ }).optional(),
  /** Sender of e-mail, e.g. Signalbox <alerts@example.com>. */
  SIGNALBOX_MAIL_FROM: z
    .string()
    .regex(/^[^\r\n]*@[^\r\n]+$/)
    .optional(),
  /** off: an smtp:// server that knows no TLS is spoken to in plain text. */
  SIGNALBOX_SMTP_TLS: z.enum(['required', 'off']).default('required'),
  /** How many proxies stand before the server and add to X-Forwarded-For; says whose address the audit log holds. */
  SIGNALBOX_PROXIES: z.coerce.number().int().min(0).max(9).default(0),
  /** Single sign-on (specs/people.md): all three, or none. */
  OIDC_ISSUER: z.url().optional(),
  OIDC_CLIENT_ID: z.string().min(1).optional(),
  OIDC_CLIENT_SECRET: z.string().min(1).optional(),
  /** Separated by commas. */
  OIDC_ALLOWED_DOMAINS: z.string().default('').transform(listed),
  /** Never admin: an allowed domain is not a person that somebody chose. */
  OIDC_DEFAULT_ROLE: z.enum(['viewer', 'editor', 'publisher']).default('viewer'),
})

/** A variable that is set to nothing is not set; with a part missing, single sign-on and e-mail would be buttons that fail. */
const Env = z
  .preprocess(
    (given) => Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== '')),
    Variables,
  )
  .superRefine((parsed, context) => {
    for (const names of [OIDC, MAIL]) {
      const missing = names.filter((name) => parsed[name] === undefined)
      if (missing.length === names.length) continue
      for (const name of missing) {
        context.addIssue({ code: 'custom', path: [name], message: 'missing' })
      }
    }
  })

export type Env = z.output<typeof Env>

/** True under `next dev`. */
export function isDevelopment(): boolean {
  return process.env['NODE_ENV'] === 'development'
}

let parsed: Env | undefined
onForget(() => {
  parsed = undefined
})

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
