import { expect, test } from 'vitest'
import { ALERTS } from '@/server/alerts/alerts.list.ts'
import { AUDIT_LOG } from '@/server/audit-log/audit-log.list.ts'
import { CONFIGS } from '@/server/configs/configs.list.ts'
import { DENIALS } from '@/server/explanations/denials.list.ts'
import { STOPS } from '@/server/explanations/stops.list.ts'
import { DELIVERIES } from '@/server/feedback/deliveries.list.ts'
import { RELEASES } from '@/server/releases/releases.list.ts'
import { RUNTIMES } from '@/server/runtimes/runtimes.list.ts'
import { SESSIONS } from '@/server/sessions/sessions.list.ts'
import { withTestDatabase } from '../db/test-database.ts'
import type { List } from '../list/define-list.ts'
import { readRows } from './rows.ts'

withTestDatabase()

const LISTS: readonly List[] = [
  SESSIONS,
  STOPS,
  DENIALS,
  DELIVERIES,
  ALERTS,
  AUDIT_LOG,
  RELEASES,
  RUNTIMES,
  CONFIGS,
]

test.each(LISTS.map((list) => [list.name, list] as const))(
  'every index that an order of %s names exists',
  async (_name, { orders }) => {
    const named = Object.values(orders).flatMap(({ index }) => (index === undefined ? [] : [index]))
    const found = await readRows<{ name: string }>(
      'SELECT indexname AS name FROM pg_indexes WHERE indexname = ANY($1::text[])',
      [named],
    )
    expect(found.map(({ name }) => name).sort()).toEqual([...new Set(named)].sort())
  },
)
