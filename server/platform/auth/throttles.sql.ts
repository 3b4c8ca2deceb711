// Counts attempts for all replicas, in one statement each and by the database's clock.
import 'server-only'
import { directoryReader } from '../db/transaction.ts'

/** Counts one attempt and returns the number in the window. An expired window starts again. */
export async function countTry(key: string, windowMs: number): Promise<number> {
  const [row] = await directoryReader().$queryRaw<readonly { readonly count: number }[]>`
    INSERT INTO throttles AS t (key, count, ends_at)
    VALUES (${key}, 1, now() + ${windowMs} * interval '1 millisecond')
    ON CONFLICT (key) DO UPDATE SET
      count = CASE WHEN t.ends_at <= now() THEN 1 ELSE least(t.count, 1000000) + 1 END,
      ends_at = CASE WHEN t.ends_at <= now() THEN excluded.ends_at ELSE t.ends_at END
    RETURNING count`
  return row?.count ?? 0
}

export async function uncountTry(key: string): Promise<void> {
  await directoryReader()
    .$executeRaw`UPDATE throttles SET count = count - 1 WHERE key = ${key} AND count > 0`
}

export async function removePastTries(): Promise<void> {
  await directoryReader().$executeRaw`DELETE FROM throttles WHERE ends_at <= now()`
}
