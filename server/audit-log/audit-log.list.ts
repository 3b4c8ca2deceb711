import type { JsonValue } from '@signalbox/core'
import {
  defineList,
  INSTANT,
  json,
  NUMBER,
  nullable,
  TEXT,
} from '@/server/platform/list/define-list.ts'
import { parseInstant } from '@/server/platform/list/filter-grammar.ts'

interface Change {
  readonly before: JsonValue
  readonly after: JsonValue
}

const formatSide = (side: JsonValue): string | null => (side === null ? null : JSON.stringify(side))

const formatChange = ({ before, after }: Change) => ({
  before: formatSide(before),
  after: formatSide(after),
})

const SHOWN = ['at', 'actor', 'action', 'after', 'origin'] as const

export const AUDIT_LOG = defineList({
  name: 'audit-log',
  columns: {
    at: { type: INSTANT, label: 'At', width: 204, export: 'at' },
    actor: { type: TEXT, label: 'Actor', least: 96, export: 'actor' },
    actorId: { type: TEXT, label: 'User or key', least: 130, export: 'actor_id' },
    action: { type: TEXT, label: 'Action', least: 150, share: 1.4, export: 'action' },
    target: { type: TEXT, label: 'Target', least: 130, export: 'target' },
    /** Network address of the request; null: a job, or not known. */
    origin: { type: nullable(TEXT), label: 'IP address', width: 112, export: 'origin' },
    before: { type: json<JsonValue>(), export: 'before' },
    after: { type: json<JsonValue>(), label: 'Change', least: 220, share: 3, export: 'after' },
    id: { type: TEXT, export: 'id' },
  },
  shown: SHOWN,
  params: {
    actor: { kind: 'text', most: 64 },
    action: { kind: 'text', most: 64 },
    target: { kind: 'text', most: 80 },
  },
  grammar: {
    texts: ['who', 'did', 'to', 'from'],
    numbers: { at: parseInstant },
  },
  orders: {
    newest: { column: 'at', direction: 'desc', index: 'audit_entries_project_id_at_id_idx' },
    oldest: { column: 'at', direction: 'asc', index: 'audit_entries_project_id_at_id_idx' },
  },
  defaultOrder: 'newest',
  fileCells: formatChange,
})

export const SEALED_AUDIT_LOG = defineList({
  ...AUDIT_LOG,
  columns: {
    ...AUDIT_LOG.columns,
    /** Place in the chain, from 1; null: the entry never got one, which the check reports. */
    position: { type: nullable(NUMBER), export: 'position' },
    hash: { type: nullable(TEXT), export: 'hash' },
    /** Exactly the hashed text. */
    text: { type: TEXT },
  },
  shown: SHOWN,
  fileCells: formatChange,
})
