// Sorting by a head of a column is offered where a list names an index: the database has every index that a list names.
import { expect, test } from 'vitest'
import { DENIALS } from '@/server/explanations/denials.list.ts'
import { STOPS } from '@/server/explanations/stops.list.ts'
import { DELIVERIES } from '@/server/feedback/deliveries.list.ts'
import { SESSIONS } from '@/server/sessions/sessions.list.ts'
import { withTestDatabase } from '../db/test-database.ts'
import type { List } from '../list/define-list.ts'
import { readRows } from './rows.ts'

withTestDatabase()

const LISTS: readonly List[] = [SESSIONS, STOPS, DENIALS, DELIVERIES]

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
