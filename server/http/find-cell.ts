// For scripts/serve.mjs. Keys and projects are looked up in the directory and trusted for two seconds.
import type { IncomingHttpHeaders } from 'node:http'
import { PROJECT_HEADER, readRequestedProject } from '@/server/platform/auth/asked-project.ts'
import { listMemberships } from '@/server/platform/auth/members.sql.ts'
import { findKeyCell, findSlugCell } from '@/server/platform/auth/places.sql.ts'
import { findUser } from '@/server/platform/auth/session.ts'
import { env } from '@/server/platform/base/env.ts'
import { registerCache } from '@/server/platform/base/process-memory.ts'
import { sharedRead } from '@/server/platform/shared-read.ts'

const TRUSTED_MS = 2_000
const MOST_CACHED = 5_000
const KEY = /^Bearer (sbx_[A-Za-z0-9]{8})_/i
const OF_PROJECT =
  /^\/(?!_next\/|packages\/|api\/auth\/|favicon|icon|(login|setup|invite|reset|open|livez|readyz|metrics)\b)/

interface Cached {
  readonly cell: string
  readonly until: number
}

const cached = registerCache(new Map<string, Cached>())
const readKeyCell = sharedRead(findKeyCell)
const readSlugCell = sharedRead(findSlugCell)

async function lookUp(name: string, read: (name: string) => Promise<string>): Promise<string> {
  const now = Date.now()
  const known = cached.get(name)
  if (known !== undefined && known.until > now) return known.cell
  // Without the directory, what is known stays true.
  const cell = await read(name).catch((error: unknown) => {
    if (known === undefined) throw error
    return known.cell
  })
  if (cached.size >= MOST_CACHED) cached.clear()
  cached.set(name, { cell, until: now + TRUSTED_MS })
  return cell
}

interface Addressed {
  readonly headers: IncomingHttpHeaders
  /** Path and query, without the prefix of this build. */
  readonly place: string
}

/** Null: no cell in particular. */
async function findCell({ headers, place }: Addressed): Promise<string | null> {
  const prefix = KEY.exec(headers.authorization ?? '')?.[1]
  if (prefix !== undefined) return await lookUp(prefix, readKeyCell)
  if (!OF_PROJECT.test(place) || headers.cookie === undefined) return null
  const sent = new Headers({ cookie: headers.cookie })
  for (const name of ['host', 'referer', PROJECT_HEADER]) {
    const value = headers[name]
    if (typeof value === 'string') sent.set(name, value)
  }
  const slug = readRequestedProject({
    url: new URL(place, `http://${headers.host ?? 'localhost'}`).href,
    headers: sent,
  })
  if (slug !== null) return await lookUp(slug, readSlugCell)
  const user = await findUser(sent)
  const [first, second] = user === null ? [] : await listMemberships(user.id)
  return second === undefined ? (first?.cell ?? null) : null
}

/** Null: this process answers. */
async function findCellAddress(request: Addressed): Promise<string | null> {
  const cell = await findCell(request)
  const { SIGNALBOX_CELL: own, SIGNALBOX_CELLS: addresses } = env()
  return cell === null || cell === own ? null : (addresses.get(cell) ?? null)
}

/** Call once per process. */
export function openCells(): void {
  if (env().SIGNALBOX_CELLS.size === 0) return
  // The cast only adds an optional property of our own name.
  const holder = globalThis as { signalboxFindCell?: typeof findCellAddress }
  holder.signalboxFindCell = findCellAddress
}
