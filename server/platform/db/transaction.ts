import 'server-only'
import { env } from '../base/env.ts'
import { isLockLate, ServiceError } from '../base/errors.ts'
import { database, directory, lockLimit } from './client.ts'
import type { Prisma, PrismaClient } from './generated/client.ts'

/** A repository's connection: an open transaction, or `reader()` outside of one. */
export type Tx = Prisma.TransactionClient

/** For reads that need no transaction. */
export function reader(): Tx {
  return database().prisma
}

export function directoryReader(): Tx {
  return directory().prisma
}

/** Rejects with `unavailable` when it waited too long for a lock. Isolation is read committed, so lock rows first. */
export async function inTransaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return await transact(database().prisma, work)
}

export function isDirectoryHere(): boolean {
  return env().SIGNALBOX_DIRECTORY_URL === undefined
}

/** Transactions of the cell and of the directory: one and the same where both are one database. */
export interface BothTx {
  readonly cell: Tx
  readonly directory: Tx
}

/** The cell commits first: when the directory is lost then, the log has an entry for a change that was not made, and never lacks one. */
export async function inBothTransactions<T>(work: (both: BothTx) => Promise<T>): Promise<T> {
  if (isDirectoryHere()) return await inTransaction((tx) => work({ cell: tx, directory: tx }))
  return await transact(
    directory().prisma,
    async (ofDirectory) => await inTransaction((cell) => work({ cell, directory: ofDirectory })),
  )
}

async function transact<T>(prisma: PrismaClient, work: (tx: Tx) => Promise<T>): Promise<T> {
  const limit = lockLimit()
  try {
    return await prisma.$transaction(
      async (tx) => {
        if (limit !== null) await tx.$executeRawUnsafe(limit)
        return await work(tx)
      },
      { maxWait: 5_000, timeout: 20_000 },
    )
  } catch (error) {
    throw isLockLate(error) ? lateError() : error
  }
}

export function lateError(): ServiceError {
  return new ServiceError('unavailable', 'Another long change is running. Try again in a moment.')
}

/** Waits until no other transaction holds the lock `name`; released when this transaction ends. */
export async function lockByName(tx: Tx, name: string): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`
}
