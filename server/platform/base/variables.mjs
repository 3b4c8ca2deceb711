// @ts-check
// scripts/start.mjs checks all variables before it opens the database; server/platform/base/env.ts parses those of the server.
import { z } from 'zod'
import { IdentityProviders } from './identity-providers.mjs'

/** @param {string} text @returns {readonly string[]} */
function listed(text) {
  return text
    .toLowerCase()
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean)
}

/**
 * @typedef {object} About
 * @property {string} about one sentence of the table
 * @property {string} must completes "NAME must be …"
 * @property {string} [fallback] the value that applies when it is not set
 * @property {boolean} [secret] its value is never printed, and NAME_FILE may name a file that holds it
 */

/** @param {About} about */
const described = (about) => ({ ...about })

/** Cell of the directory's own database. The directory stores it as null. */
export const MAIN_CELL = 'main'
/** Id of the provider of OIDC_ISSUER in stored accounts and in its callback. */
export const SINGLE_PROVIDER = 'oidc'

const CELL = /^[a-z][a-z0-9-]{0,30}$/

/** @param {string} text @returns {ReadonlyMap<string, string>} addresses by cell */
function toAddresses(text) {
  const pairs = text.split(',').filter(Boolean)
  return new Map(
    pairs.map((pair) => {
      const [name = '', address = ''] = pair.split('=')
      return [name, address]
    }),
  )
}

const OnOff = z.enum(['on', 'off'])
const PostgresUrl = z.string().regex(/^postgres(ql)?:\/\/./)

/** In the order of the table. Variables that the server requires have no default here: scripts/installation.mjs sets them. */
export const Variables = z.object({
  DATABASE_URL: PostgresUrl.meta(
    described({
      about: 'PostgreSQL 15 or newer; it may be a pooler when DATABASE_DIRECT_URL is set.',
      must: 'an address that begins with postgresql://',
      fallback: 'the embedded database',
      secret: true,
    }),
  ),
  DATABASE_DIRECT_URL: PostgresUrl.optional().meta(
    described({
      about:
        'The same database without a pooler in transaction mode, for notifications, locks, migrations and jobs.',
      must: 'an address that begins with postgresql://',
      fallback: 'DATABASE_URL',
      secret: true,
    }),
  ),
  DATABASE_READ_URL: PostgresUrl.optional().meta(
    described({
      about: 'A standby of the same database, for Analytics and for lists that are saved as files.',
      must: 'an address that begins with postgresql://',
      fallback: 'DATABASE_URL',
      secret: true,
    }),
  ),
  SIGNALBOX_DIRECTORY_URL: PostgresUrl.optional().meta(
    described({
      about:
        'PostgreSQL of the directory, without a pooler: users, and the cell of each project. Only for processes of other cells than main.',
      must: 'an address that begins with postgresql://',
      fallback: 'DATABASE_URL',
      secret: true,
    }),
  ),
  SIGNALBOX_CELL: z
    .string()
    .regex(CELL)
    .default(MAIN_CELL)
    .meta(
      described({
        about: 'Cell whose projects are in DATABASE_URL.',
        must: 'a name of lowercase letters, digits and hyphens',
        fallback: MAIN_CELL,
      }),
    ),
  SIGNALBOX_CELLS: z
    .string()
    .regex(/^([a-z][a-z0-9-]{0,30}=https?:\/\/[^\s,=]+(,|$))*$/)
    .default('')
    .transform(toAddresses)
    .meta(
      described({
        about:
          'Addresses of the other cells, for example main=http://10.0.0.1:3000,b=http://10.0.0.2:3000.',
        must: 'a list of name=address separated by commas',
        fallback: 'there is one cell',
      }),
    ),
  SIGNALBOX_TARGET_URL: PostgresUrl.optional().meta(
    described({
      about: 'PostgreSQL of the cell to which "npm run move-project" moves a project.',
      must: 'an address that begins with postgresql://',
      secret: true,
    }),
  ),
  SIGNALBOX_SECRET: z
    .string()
    .min(32)
    .optional()
    .meta(
      described({
        about:
          'Opens the other secrets, which are stored sealed in the database, so that replicas need no shared folder.',
        must: 'at least 32 characters long',
        fallback: 'the secrets are in secrets.json in the data folder',
        secret: true,
      }),
    ),
  SIGNALBOX_NEW_SECRET: z
    .string()
    .min(32)
    .optional()
    .meta(
      described({
        about: 'The secret that "npm run secret -- rotate" seals the other secrets with.',
        must: 'at least 32 characters long',
        secret: true,
      }),
    ),
  SIGNALBOX_BACKUP_PASSPHRASE: z
    .string()
    .min(12)
    .optional()
    .meta(
      described({
        about: 'Encrypts the files of "npm run backup"; "npm run restore" needs the same one.',
        must: 'at least 12 characters long',
        fallback: 'backups are not encrypted and need a folder that no one else may read',
        secret: true,
      }),
    ),
  SIGNALBOX_AUTH_SECRET: z
    .string()
    .min(32)
    .meta(
      described({
        about: 'Signs the sessions of signed-in users and seals the signing keys of projects.',
        must: 'at least 32 characters long',
        fallback: 'made at the first start',
        secret: true,
      }),
    ),
  SIGNALBOX_SIGNING_KEY: z
    .string()
    .regex(/^[A-Za-z0-9_-]{43}$/)
    .meta(
      described({
        about: 'Ed25519 seed that signs the bundles of the first project.',
        must: '32 bytes in base64url, 43 characters',
        fallback: 'made at the first start',
        secret: true,
      }),
    ),
  SIGNALBOX_SETUP_TOKEN: z
    .string()
    .min(16)
    .meta(
      described({
        about: 'Opens the page that creates the first administrator, while no user exists.',
        must: 'at least 16 characters long',
        fallback: 'made at the first start',
        secret: true,
      }),
    ),
  SIGNALBOX_DEMO_KEY: z
    .string()
    .regex(/^sbx_[0-9a-f]{8}_[A-Za-z0-9_-]{43}$/)
    .optional()
    .meta(
      described({
        about: 'API key of the demo agent; the start registers it for the environment dev.',
        must: 'an API key of the form sbx_…',
        fallback: 'made at the first start',
        secret: true,
      }),
    ),
  SIGNALBOX_DATA_DIR: z
    .string()
    .optional()
    .meta(
      described({
        about: 'Folder of the embedded database, the secrets and the log.',
        must: 'the path of a folder',
        fallback: '.signalbox',
      }),
    ),
  SIGNALBOX_ARCHIVE: z
    .string()
    .regex(/^(s3:\/\/[a-z0-9][a-z0-9.-]+(\/[\w./-]*)?|(?!s3:).+)$/)
    .optional()
    .meta(
      described({
        about: 'Folder of archived events, which all replicas share, or s3://bucket/prefix.',
        must: 'the path of a folder, or s3:// with a bucket',
        fallback: 'archive in the data folder',
      }),
    ),
  SIGNALBOX_S3_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .meta(
      described({
        about: 'Address of the service that has the bucket, which may not be from Amazon.',
        must: 'an address that begins with http:// or https://',
        fallback: "Amazon's of the region",
      }),
    ),
  SIGNALBOX_S3_REGION: z
    .string()
    .regex(/^[a-z0-9-]+$/)
    .default('us-east-1')
    .meta(
      described({
        about: 'Region of the bucket.',
        must: 'the name of a region',
        fallback: 'us-east-1',
      }),
    ),
  SIGNALBOX_S3_KEY_ID: z
    .string()
    .optional()
    .meta(
      described({
        about: 'Access key that may read, write and delete objects of the bucket.',
        must: 'a text',
        fallback: 'no bucket',
      }),
    ),
  SIGNALBOX_S3_SECRET: z
    .string()
    .optional()
    .meta(
      described({
        about: 'Secret of the access key.',
        must: 'a text',
        fallback: 'no bucket',
        secret: true,
      }),
    ),
  SIGNALBOX_URL: z.url({ protocol: /^https?$/ }).meta(
    described({
      about: 'Address at which browsers and runtimes reach the control plane.',
      must: 'an address that begins with http:// or https://',
      fallback: 'http://HOST:PORT',
    }),
  ),
  PORT: z.coerce
    .number()
    .int()
    .min(1)
    .max(65_535)
    .optional()
    .meta(
      described({
        about: 'Port to serve on; --port wins.',
        must: 'a whole number from 1 to 65535',
        fallback: '3000',
      }),
    ),
  HOST: z
    .string()
    .optional()
    .meta(
      described({
        about: 'Address to listen on; --host wins.',
        must: 'the name or address of an interface',
        fallback: '127.0.0.1',
      }),
    ),
  SIGNALBOX_PROXIES: z.coerce
    .number()
    .int()
    .min(0)
    .max(9)
    .default(0)
    .meta(
      described({
        about:
          'How many proxies stand before the server and add to X-Forwarded-For; decides whose address is recorded.',
        must: 'a whole number from 0 to 9',
        fallback: '0',
      }),
    ),
  SIGNALBOX_EVENT_LOG: z
    .string()
    .regex(/^(nats|tls):\/\/[^\s,]+(,(nats|tls):\/\/[^\s,]+)*$/)
    .optional()
    .meta(
      described({
        about:
          'NATS servers with JetStream that hold events until the database has stored them: nats://user:password@host:4222, each with its scheme.',
        must: 'addresses that begin with nats:// or tls://, separated by commas',
        fallback: 'events are stored in the database before they are acknowledged',
        secret: true,
      }),
    ),
  SIGNALBOX_EVENT_LOG_MONITOR: z
    .string()
    .regex(/^https?:\/\/[^\s,]+(,https?:\/\/[^\s,]+)*$/)
    .optional()
    .meta(
      described({
        about:
          'Monitoring address of each of these servers, such as http://host:8222; shows if they write to disk before they acknowledge.',
        must: 'addresses that begin with http:// or https://, separated by commas',
        fallback: 'the event log is refused unless SIGNALBOX_EVENT_LOG_UNSAFE is set',
      }),
    ),
  SIGNALBOX_EVENT_LOG_MIB: z.coerce
    .number()
    .int()
    .min(64)
    .max(16_777_216)
    .default(4096)
    .meta(
      described({
        about:
          'Disk space of the event log on each of its servers, in MiB; at nine tenths of it, senders are asked to wait.',
        must: 'a whole number from 64 to 16777216',
        fallback: '4096',
      }),
    ),
  SIGNALBOX_EVENT_LOG_UNSAFE: z
    .enum(['power-loss'])
    .optional()
    .meta(
      described({
        about:
          'power-loss: accept an event log that may lose acknowledged events when its servers lose power together.',
        must: 'power-loss',
        fallback: 'such an event log is refused',
      }),
    ),
  SIGNALBOX_JOBS: OnOff.default('on').meta(
    described({
      about: 'off: this replica works on no jobs; another one must.',
      must: 'on or off',
      fallback: 'on',
    }),
  ),
  SIGNALBOX_WEB_PROCESSES: z.coerce
    .number()
    .int()
    .min(1)
    .max(64)
    .default(1)
    .meta(
      described({
        about: 'Number of web processes that share the port; one of them works on jobs.',
        must: 'a whole number from 1 to 64',
        fallback: '1',
      }),
    ),
  SIGNALBOX_WEBHOOK_HOSTS: z
    .string()
    .default('')
    .transform(listed)
    .meta(
      described({
        about:
          'Hosts of the internal network, with or without port, that alerts and webhook streams may be sent to.',
        must: 'a list of hosts separated by commas',
        fallback: 'none',
      }),
    ),
  SIGNALBOX_SMTP_URL: z
    .url({ protocol: /^smtps?$/ })
    .optional()
    .meta(
      described({
        about:
          'Mail server: smtps://user:password@host, or smtp:// for STARTTLS. Needs SIGNALBOX_MAIL_FROM.',
        must: 'an address that begins with smtps:// or smtp://',
        fallback: 'no email',
        secret: true,
      }),
    ),
  SIGNALBOX_MAIL_FROM: z
    .string()
    .regex(/^[^\r\n]*@[^\r\n]+$/)
    .optional()
    .meta(
      described({
        about: 'Sender of email, for example Signalbox <alerts@example.com>.',
        must: 'one line with an email address',
        fallback: 'no email',
      }),
    ),
  SIGNALBOX_SMTP_TLS: z
    .enum(['required', 'off'])
    .default('required')
    .meta(
      described({
        about: 'off: email is handed to an smtp:// server without TLS in plain text.',
        must: 'required or off',
        fallback: 'required',
      }),
    ),
  SIGNALBOX_METRICS_TOKEN: z
    .string()
    .min(16)
    .optional()
    .meta(
      described({
        about: 'Bearer token of GET /metrics.',
        must: 'at least 16 characters long',
        fallback: 'metrics are given to this machine only',
        secret: true,
      }),
    ),
  SIGNALBOX_LOG_LEVEL: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .meta(
      described({
        about: 'The least level that the server logs.',
        must: 'debug, info, warn, error or silent',
        fallback: 'info',
      }),
    ),
  SIGNALBOX_LOG: z
    .enum(['file', 'stdout'])
    .default('file')
    .meta(
      described({
        about:
          'file: the server writes its log to server.log in the data folder; stdout: to standard output.',
        must: 'file or stdout',
        fallback: 'file',
      }),
    ),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .meta(
      described({
        about: 'OpenTelemetry collector that spans are sent to (OTLP over HTTP).',
        must: 'an address that begins with http:// or https://',
        fallback: 'no spans',
      }),
    ),
  OTEL_EXPORTER_OTLP_HEADERS: z
    .string()
    .optional()
    .meta(
      described({
        about: 'Headers for the collector: name=value, separated by commas.',
        must: 'a text',
        fallback: 'none',
        secret: true,
      }),
    ),
  OTEL_SERVICE_NAME: z
    .string()
    .optional()
    .meta(
      described({
        about: 'Name of this server in spans.',
        must: 'a text',
        fallback: 'signalbox',
      }),
    ),
  OIDC_ISSUER: z
    .url()
    .optional()
    .meta(
      described({
        about: 'Issuer of single sign-on; needs OIDC_CLIENT_ID and OIDC_CLIENT_SECRET.',
        must: 'an address',
        fallback: 'no single sign-on',
      }),
    ),
  OIDC_CLIENT_ID: z
    .string()
    .optional()
    .meta(
      described({
        about: 'Client id at the issuer.',
        must: 'a text',
        fallback: 'no single sign-on',
      }),
    ),
  OIDC_CLIENT_SECRET: z
    .string()
    .optional()
    .meta(
      described({
        about: 'Client secret at the issuer.',
        must: 'a text',
        fallback: 'no single sign-on',
        secret: true,
      }),
    ),
  OIDC_ALLOWED_DOMAINS: z
    .string()
    .default('')
    .transform(listed)
    .meta(
      described({
        about: 'Domains whose users may join without an invitation.',
        must: 'a list of domains separated by commas',
        fallback: 'none',
      }),
    ),
  OIDC_DEFAULT_ROLE: z
    .enum(['viewer', 'editor', 'publisher'])
    .default('viewer')
    .meta(
      described({
        about:
          'Role of users who join by their domain; never admin, because no admin invited them.',
        must: 'viewer, editor or publisher',
        fallback: 'viewer',
      }),
    ),
  OIDC_PROVIDERS: IdentityProviders.optional().meta(
    described({
      about: 'Further issuers, each with a label, and roles by group (see Single sign-on).',
      must: 'a JSON list of providers',
      fallback: 'only the provider of OIDC_ISSUER',
      secret: true,
    }),
  ),
})

/** Variables that must be set together; with half of them, the console would offer something that fails. */
const TOGETHER = [
  ['SIGNALBOX_SMTP_URL', 'SIGNALBOX_MAIL_FROM'],
  ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'],
  ['SIGNALBOX_S3_KEY_ID', 'SIGNALBOX_S3_SECRET'],
]

/** More web processes than this would need more connections than the embedded database allows. */
const MOST_PROCESSES_EMBEDDED = 8

/** @typedef {Readonly<Record<string, string>>} Given */

/** @returns {(About & { readonly name: string, readonly check: z.ZodType })[]} */
export function variables() {
  return Object.entries(Variables.shape).map(([name, check]) => ({
    .../** @type {About} */ (/** @type {unknown} */ (check.meta())),
    name,
    check,
  }))
}

/** `[0].groups.map[1].role` @param {readonly PropertyKey[]} path */
function toFieldName(path) {
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '')
}

/** @param {ReturnType<typeof variables>[number]} variable @param {string} value @returns {string[]} */
function findProblems({ name, must, secret, check }, value) {
  const parsed = check.safeParse(value)
  if (parsed.success) return []
  const fields = parsed.error.issues.filter(({ path }) => path.length > 0)
  if (fields.length > 0) {
    return fields.map(({ path, message }) => `${name}: ${toFieldName(path)}: ${message}.`)
  }
  return [secret === true ? `${name} must be ${must}.` : `${name} must be ${must}, not "${value}".`]
}

/** Rules that a list of providers must keep with other variables. @param {Given} given @returns {string[]} */
function findProviderProblems(given) {
  const parsed = Variables.shape.OIDC_PROVIDERS.safeParse(given['OIDC_PROVIDERS'])
  const providers = parsed.data ?? []
  const twice = providers.some(({ id }) => id === SINGLE_PROVIDER)
  const hasGroups = providers.some(({ groups }) => groups !== undefined)
  const hasCells = given['SIGNALBOX_CELLS'] ?? given['SIGNALBOX_DIRECTORY_URL']
  return [
    ...(twice && given['OIDC_ISSUER'] !== undefined
      ? [
          `OIDC_PROVIDERS: the id ${SINGLE_PROVIDER} is the provider of OIDC_ISSUER: set one of them.`,
        ]
      : []),
    // The audit log of a project is in its cell, and the sign-in may happen in another one.
    ...(hasGroups && hasCells !== undefined
      ? ['OIDC_PROVIDERS: groups cannot be used with SIGNALBOX_CELLS.']
      : []),
  ]
}

/** One sentence for each variable that cannot be used, without values of secrets. @param {Given} given @returns {string[]} */
export function problemsIn(given) {
  const wrong = variables().flatMap((variable) => {
    const value = given[variable.name]
    return value === undefined ? [] : findProblems(variable, value)
  })
  const halves = TOGETHER.flatMap((names) => {
    const missing = names.filter((name) => given[name] === undefined)
    if (missing.length === 0 || missing.length === names.length) return []
    const present = names.filter((name) => given[name] !== undefined)
    return [`${present.join(' and ')} needs ${missing.join(' and ')} too: set all or none of them.`]
  })
  const keyless =
    given['SIGNALBOX_ARCHIVE']?.startsWith('s3:') && given['SIGNALBOX_S3_KEY_ID'] === undefined
      ? ['SIGNALBOX_ARCHIVE is a bucket: set SIGNALBOX_S3_KEY_ID and SIGNALBOX_S3_SECRET, too.']
      : []
  const isTooMany =
    given['DATABASE_URL'] === undefined &&
    Number(given['SIGNALBOX_WEB_PROCESSES']) > MOST_PROCESSES_EMBEDDED
  const crowd = `SIGNALBOX_WEB_PROCESSES must be at most ${MOST_PROCESSES_EMBEDDED} with the embedded database: set DATABASE_URL for more.`
  return [
    ...wrong,
    ...halves,
    ...keyless,
    ...(isTooMany ? [crowd] : []),
    ...findProviderProblems(given),
  ]
}
