// A user's own logins, without the tokens of their cookies.
import 'server-only'
import { directoryReader } from '@/server/platform/db/transaction.ts'

export interface Login {
  readonly id: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly ipAddress: string | null
  readonly userAgent: string | null
}

/** Valid ones, newest first. */
export async function listLogins(userId: string): Promise<readonly Login[]> {
  const rows = await directoryReader().authSession.findMany({
    where: { userId, expiresAt: { gt: new Date() } },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: 100,
    select: { id: true, createdAt: true, updatedAt: true, ipAddress: true, userAgent: true },
  })
  return rows.map((row) => ({
    ...row,
    createdAt: row.createdAt.getTime(),
    updatedAt: row.updatedAt.getTime(),
  }))
}

/** Ends the login with `id`, or all but `except`; returns the number of ended ones. */
export async function endLogins(
  userId: string,
  which: { readonly id: string } | { readonly except: string },
): Promise<number> {
  const id = 'id' in which ? which.id : { not: which.except }
  const { count } = await directoryReader().authSession.deleteMany({ where: { userId, id } })
  return count
}

/** Providers with which the user can sign in; `credential` is the password. */
export async function listProviders(userId: string): Promise<readonly string[]> {
  const rows = await directoryReader().authAccount.findMany({
    where: { userId },
    select: { providerId: true },
  })
  return rows.map(({ providerId }) => providerId)
}
