import 'server-only'
import { epochMs, readRows } from '@/server/platform/sql/rows.ts'
import type { StreamBatch } from './webhook-streams.sql.ts'

export interface StreamRecord {
  readonly number: number
  readonly type: 'audit_entry' | 'decision' | 'stop'
  readonly [field: string]: unknown
}

interface Entry {
  readonly position: number
  readonly hash: string
  /** JSON, exactly as it was hashed. */
  readonly text: string
}

const AUDIT = `SELECT l.position, l.hash, signalbox_audit_text(e, l.position, l.prev) AS text
  FROM audit_links l JOIN audit_entries e ON e.id = l.entry_id
  WHERE l.project_id = $1 AND l.position > $2 AND l.position <= $3 ORDER BY l.position`

const FIELDS = (
  row: string,
): string => `'at', ${epochMs(`${row}.at`)}, 'environment', ${row}.environment,
  'prompt', ${row}.ns || '/' || ${row}.key, 'session', ${row}.session_id, 'seq', ${row}.seq`

const ITEMS = `SELECT i.number::float8 AS number, CASE
    WHEN d.id IS NOT NULL THEN json_build_object('type', 'decision', 'decision', d.id, ${FIELDS('d')},
      'tool', d.tool, 'verdict', d.decision, 'rule', nullif(d.rule, ''), 'code', d.code, 'reason', d.reason)
    WHEN s.id IS NOT NULL THEN json_build_object('type', 'stop', 'stop', s.id, ${FIELDS('s')},
      'attempt', s.attempt, 'via', s.via, 'verdict', s.verdict, 'bypass', s.bypass, 'checker', s.checker,
      'code', s.code, 'reason', s.reason)
  END AS record
  FROM webhook_stream_items i
  LEFT JOIN denials d ON d.id = i.record_id AND d.project_id = $1
  LEFT JOIN stops s ON s.id = i.record_id AND s.project_id = $1
  WHERE i.stream_id = $2 AND i.project_id = $1 AND i.number <= $3 ORDER BY i.number`

/** Without decisions that retention has removed meanwhile, and without removed sources: their numbers are missing. */
export async function readRecords({
  id,
  projectId,
  number,
  claimedNumber,
  audit,
  auditPosition,
  claimedAuditPosition,
}: StreamBatch): Promise<readonly StreamRecord[]> {
  const [entries, items] = await Promise.all([
    audit ? readRows<Entry>(AUDIT, [projectId, auditPosition, claimedAuditPosition]) : [],
    readRows<{ number: number; record: Omit<StreamRecord, 'number'> | null }>(ITEMS, [
      projectId,
      id,
      claimedNumber,
    ]),
  ])
  return [
    ...entries.map(
      ({ position, hash, text }): StreamRecord => ({
        number: number + position - auditPosition,
        type: 'audit_entry',
        hash,
        entry: JSON.parse(text),
      }),
    ),
    ...items.flatMap(({ number: own, record }): readonly StreamRecord[] =>
      // The statement builds objects with a type.
      record === null ? [] : [{ number: own, ...record } as StreamRecord],
    ),
  ]
}
