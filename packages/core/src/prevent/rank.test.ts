import { expect, test } from 'vitest'
import type { Draft } from './draft.ts'
import { rankDrafts } from './rank.ts'
import type { Row } from './row.ts'
import type { Chances, ReadSession } from './session-rows.ts'
import { buildTable, type Table } from './table.ts'

function makeDraft(more: Partial<Draft> & { readonly id?: string } = {}): Draft {
  const policy = { id: more.id ?? 'new', type: 'expression' as const, deny_when: 'true' }
  const edit = { kind: 'add_policy' as const, policy }
  return { kind: 'condition', cost: 4, test: null, atoms: [], order: null, edit, ...more }
}

/** A table of one session with this number of calls. */
function makeTable(calls: number, chances: Partial<Chances> = {}): Table {
  const session = {
    ...{ id: 'sess_1', startedAt: 0, rows: Array<Row>(calls).fill({ seq: 1 } as Row) },
    chances: { moments: 0, succeeded: [], newer: [], ...chances },
  }
  // Only the fields that the table reads.
  return buildTable([session as unknown as ReadSession], { sessions: 0, rows: 0 })
}

const score = (draft: Draft, table: Table) => rankDrafts([draft], table)[0]?.score

test('cheap changes are first; of equally cheap ones the order of their texts decides', () => {
  const drafts = [
    makeDraft({ cost: 2, id: 'c' }),
    makeDraft({ cost: 1, id: 'd' }),
    makeDraft({ cost: 2, id: 'a' }),
    makeDraft({ cost: 2, id: 'b' }),
  ]
  const list = (all: readonly Draft[]) =>
    rankDrafts(all, makeTable(0)).map(({ draft: { edit } }) => 'policy' in edit && edit.policy.id)
  expect(list(drafts)).toEqual(['d', 'a', 'b', 'c'])
  expect(list([...drafts].reverse())).toEqual(['d', 'a', 'b', 'c'])
})

test('each good call makes a change cheaper, up to 200 calls', () => {
  const list = (kind: Draft['kind']) =>
    [0, 80, 200, 400].map((calls) => score(makeDraft({ kind }), makeTable(calls)))
  expect(list('condition')).toEqual([4, 3, 1.5, 1.5])
  // Twice as much where nothing but the count of good calls speaks for it.
  for (const kind of ['read', 'rate', 'file'] as const) expect(list(kind)).toEqual([4, 2, -1, -1])
})

test('sessions are read newest first, and of the same time by their names; those without calls are not counted', () => {
  const session = (id: string, startedAt: number, calls: number) =>
    ({ id, startedAt, rows: Array<Row>(calls).fill({ seq: 1 } as Row) }) as unknown as ReadSession
  const all = [session('b', 1, 1), session('c', 2, 0), session('a', 1, 2), session('d', 1, 0)]
  for (const order of [all, [...all].reverse()]) {
    const { sessions, sessionsWithRows, sessionOf } = buildTable(order, { sessions: 0, rows: 0 })
    expect(sessions.map(({ id }) => id)).toEqual(['c', 'a', 'b', 'd'])
    expect([sessionsWithRows, sessionOf]).toEqual([2, [1, 1, 2]])
  }
})

test('an order that chance alone seldom gives is cheaper, and one with little evidence is dearer', () => {
  const order = { needs: 0, pair: null }
  const list = (calls: number, held: number) => {
    const table = makeTable(calls, { moments: 1000, succeeded: [held] })
    const [{ chance, score: found } = {}] = rankDrafts([makeDraft({ order })], table)
    return [chance, Number(found?.toFixed(3))]
  }
  // 16 calls, each ten times as unlikely: evidence 16, of which 8 are one cost.
  expect(list(16, 100)).toEqual([0.1, 2])
  expect(list(8, 100)).toEqual([0.1, 3])
  expect(list(7, 100)).toEqual([0.1, 7.125])
  expect(list(100, 100)).toEqual([0.1, -1])
  // Never and always count as nearly so.
  expect(list(4, 0)).toEqual([0, 3])
  expect(list(100, 1000)).toEqual([1, 7.995])
})

test('an order is as likely as the share of moments at which the tool is done, or is newer than the other', () => {
  const session = (chances: Chances, startedAt: number) =>
    ({ id: `sess_${startedAt}`, startedAt, rows: [], chances }) as unknown as ReadSession
  const table = buildTable(
    [
      session({ moments: 2, succeeded: [1, 2], newer: [[1, 1]] }, 1),
      session({ moments: 2, succeeded: [], newer: [[1, 2]] }, 2),
    ],
    { sessions: 0, rows: 0 },
  )
  const find = (needs: number, pair: number | null) =>
    rankDrafts([makeDraft({ order: { needs, pair } })], table)[0]?.chance
  expect([find(0, null), find(1, null), find(2, null)]).toEqual([0.25, 0.5, 0])
  expect([find(0, 0), find(0, 1)]).toEqual([0.4, null])
  // No moment, no evidence.
  const none = makeTable(400)
  expect(rankDrafts([makeDraft({ order: { needs: 0, pair: null } })], none)[0]).toMatchObject({
    chance: null,
  })
})
