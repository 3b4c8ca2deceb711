import { database } from '@/server/platform/db/client.ts'

export async function ageSession(session: string, days: number, isOver = true): Promise<void> {
  const { pool } = database()
  const day = `((now() AT TIME ZONE 'utc')::date - ${days})`
  await pool.query(`SELECT signalbox_ensure_event_partition(${day})`)
  await pool.query(`UPDATE session_events SET partition_day = ${day} WHERE session_id = $1`, [
    session,
  ])
  await pool.query(
    `UPDATE sessions SET partition_day = ${day}, ended_at = CASE WHEN $2 THEN now() END WHERE id = $1`,
    [session, isOver],
  )
}
