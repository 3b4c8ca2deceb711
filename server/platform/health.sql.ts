// One round trip to the database.
import 'server-only'
import { database } from './db/client.ts'

/** Rejects when the database cannot be reached. */
export async function ping(): Promise<void> {
  await database().pool.query('SELECT 1')
}
