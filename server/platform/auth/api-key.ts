// A key is trusted for two seconds after it is read, so a revocation takes effect within two seconds on every replica.
import 'server-only'
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { env } from '../base/env.ts'
import { isDatabaseAway, ServiceError } from '../base/errors.ts'
import { registerCache } from '../base/process-memory.ts'
import { sharedRead } from '../shared-read.ts'
import { clientAddress, type ReadHeaders } from './client-address.ts'
import { KEY_SCOPES, type KeyScopeName } from './key-scopes.kinds.ts'
import { findKeyById, findKeyByPrefix, findKeyName, type StoredKey, touchKey } from './keys.sql.ts'
import { type IngestTarget, type KeyScope, mintKeyScope, mintKeyTarget } from './scope.ts'

const FORM = /^sbx_[A-Za-z0-9]{8}_[A-Za-z0-9_-]{43}$/
const PREFIX_LENGTH = 'sbx_'.length + 8
const TRUSTED_MS = 2_000
/** With an event log, a key that was read before is trusted for this long while the database is away. */
const TRUSTED_AWAY_MS = 3_600_000
/** Time that the database has to answer before it counts as away for a key that was read before. */
const AWAY_AFTER_MS = 1_000
const TOUCH_MS = 60_000
const MOST_CACHED = 5_000

interface KeyReading {
  readonly key: StoredKey | null
  readonly readAt: number
}

interface Cached extends KeyReading {
  readonly until: number
}

const looked = registerCache(new Map<string, Cached>())
const touched = registerCache(new Map<string, number>())

/** When a thousand runtimes with one key connect at once, all of them miss the cache. */
const readKey = sharedRead(findKeyByPrefix)

export interface GeneratedKey {
  /** Shown once and never stored. */
  readonly secret: string
  readonly prefix: string
  readonly hash: string
}

/** SHA-256 is enough without salt or stretching: the key holds 256 random bits. */
function hashKey(secret: string): string {
  return hash('sha256', secret, 'hex')
}

export function generateKey(): GeneratedKey {
  const prefix = `sbx_${randomBytes(4).toString('hex')}`
  const secret = `${prefix}_${randomBytes(32).toString('base64url')}`
  return { secret, prefix, hash: hashKey(secret) }
}

/** Parts of a key that was generated elsewhere (SIGNALBOX_DEMO_KEY); null: it has another form. */
export function describeKey(secret: string): GeneratedKey | null {
  if (!FORM.test(secret)) return null
  return { secret, prefix: secret.slice(0, PREFIX_LENGTH), hash: hashKey(secret) }
}

async function lookUp(prefix: string, now: number): Promise<StoredKey | null> {
  const cached = looked.get(prefix)
  if (cached !== undefined && cached.until > now) return cached.key
  const reading = readKey(prefix).then((key) => ({ key, readAt: now }))
  const { key, readAt } = await (mayTrustAway(cached, now) ? unlessAway(reading, cached) : reading)
  if (looked.size >= MOST_CACHED && !looked.has(prefix)) looked.clear()
  looked.set(prefix, { key, readAt, until: now + TRUSTED_MS })
  return key
}

function mayTrustAway(cached: Cached | undefined, now: number): cached is Cached {
  return (
    env().SIGNALBOX_EVENT_LOG !== undefined &&
    cached !== undefined &&
    cached.key !== null &&
    now - cached.readAt < TRUSTED_AWAY_MS
  )
}

/** Resolves with `known` when the database is away, or does not answer in time. */
async function unlessAway(reading: Promise<KeyReading>, known: KeyReading): Promise<KeyReading> {
  try {
    return await Promise.race([reading, sleep(AWAY_AFTER_MS, known, { ref: false })])
  } catch (error) {
    if (!isDatabaseAway(error)) throw error
    return known
  }
}

function matches(stored: StoredKey | null, secret: string): stored is StoredKey {
  const given = Buffer.from(hashKey(secret), 'hex')
  const expected = stored === null ? Buffer.alloc(given.length) : Buffer.from(stored.hash, 'hex')
  return expected.length === given.length && timingSafeEqual(expected, given) && stored !== null
}

async function touch({ keyId: id, projectId }: KeyScope, now: number): Promise<void> {
  if (now - (touched.get(id) ?? 0) < TOUCH_MS) return
  if (touched.size >= MOST_CACHED) touched.clear()
  touched.set(id, now)
  const touching = touchKey({ id, projectId }, now)
  // With an event log, a request does not need the database, and the time of the key's use is not worth a failure.
  if (env().SIGNALBOX_EVENT_LOG === undefined) await touching
  else touching.catch(() => undefined)
}

const targets = registerCache(
  new Map<string, { readonly target: IngestTarget | GoneKey; readonly until: number }>(),
)

export type GoneKey = 'key_revoked' | 'project_deleted'

/** Returns the reason when the key's events are no longer stored. An expiry does not concern what was sent before. */
export async function findKeyTarget(keyId: string): Promise<IngestTarget | GoneKey> {
  const now = Date.now()
  const cached = targets.get(keyId)
  if (cached !== undefined && cached.until > now) return cached.target
  const key = await findKeyById(keyId)
  const target =
    key === null ? 'project_deleted' : key.revokedAt === null ? mintKeyTarget(key) : 'key_revoked'
  if (targets.size >= MOST_CACHED) targets.clear()
  targets.set(keyId, { target, until: now + TRUSTED_MS })
  return target
}

/** Secret that the request presents. Throws `unauthenticated` for one that is missing or malformed. */
export function parseBearer(headers: ReadHeaders): string {
  const header = headers.get('authorization') ?? ''
  const secret = /^Bearer (\S+)$/i.exec(header)?.[1]
  if (secret === undefined) {
    throw new ServiceError('unauthenticated', 'Send the API key as "Authorization: Bearer sbx_…".')
  }
  if (!FORM.test(secret)) {
    const message =
      'The API key was sent but is not complete: a key is "sbx_", 8 characters, "_" and 43 more. Copy it again, or create one in Settings.'
    throw new ServiceError('unauthenticated', message)
  }
  return secret
}

/**
 * Rejects with `unauthenticated` for an unknown, revoked or expired key, and with `forbidden` when it lacks `needed`.
 * @param origin Network address of the caller; null: not known.
 */
export async function requireKey<Needed extends KeyScopeName>(
  secret: string,
  needed: Needed,
  origin: string | null,
): Promise<KeyScope<Needed>> {
  const now = Date.now()
  const key = await lookUp(secret.slice(0, PREFIX_LENGTH), now)
  if (!matches(key, secret)) {
    throw new ServiceError('unauthenticated', 'This API key is not known here.')
  }
  if (key.revokedAt !== null) {
    throw new ServiceError(
      'unauthenticated',
      'This API key was revoked. Create a new one in Settings.',
    )
  }
  if (key.expiresAt !== null && key.expiresAt <= now) {
    throw new ServiceError(
      'unauthenticated',
      `This API key expired at ${new Date(key.expiresAt).toISOString()}. Rotate or create one in Settings.`,
    )
  }
  const scopes = KEY_SCOPES.filter((name) => key.scopes.includes(name))
  if (!scopes.includes(needed)) {
    throw new ServiceError('forbidden', `This API key does not have the scope "${needed}".`)
  }
  const { id: keyId, projectId, environment, expiresAt } = key
  const keyName = findKeyName(key)
  const fields = { projectId, environment, keyId, keyName, scopes, expiresAt, origin }
  const scope = mintKeyScope<Needed>(fields)
  await touch(scope, now)
  return scope
}

/** Checks the key that the request presents, like `requireKey`. Rejects with `unauthenticated` when it presents none. */
export async function requireKeyScope<Needed extends KeyScopeName>(
  { headers }: { readonly headers: ReadHeaders },
  needed: Needed,
): Promise<KeyScope<Needed>> {
  return await requireKey(parseBearer(headers), needed, clientAddress(headers))
}
