import 'server-only'
import { database } from './db/client.ts'

/** False when the database does not answer within two seconds. */
export async function isDatabaseReachable(): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), 2_000)
  })
  const answered = database()
    .pool.query('SELECT 1')
    .then(
      () => true,
      () => false,
    )
  try {
    return await Promise.race([answered, late])
  } finally {
    clearTimeout(timer)
  }
}
