// One transaction, passed on as an opaque handle: services decide what belongs together, repositories do the writing.
import 'server-only'
import { database } from '../db/client.ts'
import type { Prisma } from '../db/generated/client.ts'

/** Where a repository reads and writes: an open transaction, or `reader()` outside of one. */
export type Tx = Prisma.TransactionClient

/** Plain reads that need no transaction. */
export function reader(): Tx {
  return database().prisma
}

/** Commits when `work` resolves, rolls everything back when it rejects. Isolation is read committed: lock rows first. */
export function inTransaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return database().prisma.$transaction(work, { maxWait: 5_000, timeout: 20_000 })
}

/** Waits until no other transaction holds the lock `name`; released when this transaction ends. */
export async function lockByName(tx: Tx, name: string): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`
}
