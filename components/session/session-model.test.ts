// The pure parts of the session page.
import { describe, expect, test } from 'vitest'
import { bucketOf, density } from './density.ts'
import { matches, parseFilter } from './event-filter.ts'
import { contiguousEnd, mergeEntries } from './event-log.ts'
import { type Follow, type FollowAction, follow, newEvents, openFollow } from './follow.ts'
import { type EventRow, type IndexEntry, indexOfSeq, sessionRows } from './session-rows.ts'

const AT = Date.UTC(2026, 10, 20, 14, 0, 0)

function entry(seq: number, type: string, more: Partial<Omit<EventRow, 'seq'>> = {}): IndexEntry {
  const { at = AT + seq * 1000, verdict = null, subject = '', text = '' } = more
  const { durationMs = null, nativeTool = null } = more
  return [seq, at, type, verdict, subject, text, durationMs, nativeTool]
}

const CALL = [
  entry(1, 'tool.requested', { subject: 'Read', text: 'a.py' }),
  entry(2, 'tool.decided', { subject: 'read_file', verdict: 'allowed', text: 'Allowed' }),
  entry(3, 'tool.invoked', { subject: 'Read', text: 'success · x', durationMs: 38 }),
]

function eventRows(entries: readonly IndexEntry[], isFolded = true): readonly EventRow[] {
  return sessionRows(entries, isFolded).filter((row) => row.kind === 'event')
}

describe('rows', () => {
  test('a call is one row, told by what it does', () => {
    expect(eventRows(CALL)).toMatchObject([
      { seq: 2, members: [1, 2, 3], verdict: 'allowed', text: 'a.py', durationMs: 38 },
    ])
    expect(eventRows(CALL, false).map(({ seq }) => seq)).toEqual([1, 2, 3])
  })

  test('a denied call is told by its reason', () => {
    const denied = entry(2, 'tool.decided', { verdict: 'denied', text: 'a.py was not read' })
    expect(eventRows([CALL[0] ?? denied, denied])).toMatchObject([{ text: 'a.py was not read' }])
  })

  test.each([
    ['success · x', 'It ran all the same · a.py was not read'],
    ['denied', 'a.py was not read'],
  ])('a denied call that ended with "%s" is told as "%s"', (outcome, text) => {
    const denied = entry(2, 'tool.decided', { verdict: 'denied', text: 'a.py was not read' })
    const finished = entry(3, 'tool.invoked', { subject: 'Read', text: outcome })
    expect(eventRows([CALL[0] ?? denied, denied, finished])).toMatchObject([{ text }])
  })

  test.each([
    ['end of turn', 'All checks passed · attempt 3'],
    ['final', 'All checks passed · final check'],
  ])('a stop that was asked about by %s is told as "%s"', (via, text) => {
    const asked = entry(1, 'stop.attempted', { text: via })
    const decided = entry(2, 'stop.decided', {
      verdict: 'allowed',
      text: 'All checks passed · attempt 3',
    })
    expect(eventRows([asked, decided])).toMatchObject([{ seq: 2, text }])
  })

  test('a call keeps the name that its harness gave the tool, and is found by it', () => {
    const asked = entry(1, 'tool.requested', { subject: 'write_file', nativeTool: 'Write' })
    const denied = entry(2, 'tool.decided', { verdict: 'denied', text: 'a.py was not read' })
    const [row] = eventRows([asked, denied])
    expect(row).toMatchObject({ seq: 2, subject: 'write_file', nativeTool: 'Write' })
    const found = ['tool:write_file', 'tool:Write', 'tool:Edit'].map(
      (query) => row !== undefined && matches(row, parseFilter(query), []),
    )
    expect(found).toEqual([true, true, false])
  })

  test('a result that could belong to either of two calls keeps its own row', () => {
    const requests = [1, 3].flatMap((seq) => [
      entry(seq, 'tool.requested', { subject: 'Read' }),
      entry(seq + 1, 'tool.decided', { verdict: 'allowed' }),
    ])
    const rows = eventRows([...requests, entry(5, 'tool.invoked', { subject: 'Read' })])
    expect(rows.map(({ members }) => members)).toEqual([[1, 2], [3, 4], [5]])
  })

  test('usage belongs to the row before it, and has its own when every event does', () => {
    const entries = [...CALL, entry(4, 'usage.recorded')]
    expect(eventRows(entries)).toMatchObject([{ seq: 2, members: [1, 2, 3, 4] }])
    expect(eventRows(entries, false)).toHaveLength(4)
  })

  test('every event is found in some row', () => {
    const rows = sessionRows(CALL, true)
    expect([1, 2, 3].map((seq) => indexOfSeq(rows, seq))).toEqual([0, 0, 0])
    expect(indexOfSeq(rows, 4)).toBe(-1)
  })

  test('missing numbers and new days are rows', () => {
    const rows = sessionRows([entry(1, 'note'), entry(5, 'note', { at: AT + 86_400_000 })], true)
    expect(rows.map(({ kind }) => kind)).toEqual(['event', 'gap', 'date', 'event'])
    expect(rows[1]).toMatchObject({ from: 2, to: 4 })
    expect(new Set(rows.map(({ key }) => key)).size).toBe(4)
  })
})

describe('the log', () => {
  const first = [entry(1, 'note'), entry(2, 'note')]

  test('takes every event once, in order', () => {
    const late = mergeEntries([...first, entry(5, 'note')], [entry(2, 'note'), entry(3, 'note')])
    expect(late.map(([seq]) => seq)).toEqual([1, 2, 3, 5])
    expect(contiguousEnd(late)).toBe(3)
    expect(contiguousEnd(mergeEntries(late, [entry(4, 'note')]))).toBe(5)
  })

  test('stays itself when nothing is new', () => {
    expect(mergeEntries(first, first)).toBe(first)
    expect(mergeEntries(first, [])).toBe(first)
  })
})

describe('follow', () => {
  const following: Follow = { mode: 'following', seenSeq: 0 }
  const paused: Follow = { mode: 'paused', seenSeq: 10 }

  test.each<readonly [string, Follow, FollowAction, Follow]>([
    ['select', following, { kind: 'select', newestSeq: 10 }, paused],
    ['scroll up', following, { kind: 'scroll_up', newestSeq: 10 }, paused],
    ['brush', following, { kind: 'brush', newestSeq: 10 }, paused],
    ['toggle', following, { kind: 'toggle', newestSeq: 10 }, paused],
    ['select again', paused, { kind: 'select', newestSeq: 12 }, paused],
    ['toggle back', paused, { kind: 'toggle', newestSeq: 12 }, { mode: 'following', seenSeq: 10 }],
    ['resume', paused, { kind: 'resume' }, { mode: 'following', seenSeq: 10 }],
  ])('%s', (...[, from, action, to]) => {
    expect(follow(from, action)).toEqual(to)
  })

  test.each([
    [{ isRunning: true, hasSelection: false, isPausedByLink: false }, 'following'],
    [{ isRunning: true, hasSelection: true, isPausedByLink: false }, 'paused'],
    [{ isRunning: true, hasSelection: false, isPausedByLink: true }, 'paused'],
    [{ isRunning: false, hasSelection: false, isPausedByLink: false }, 'paused'],
  ] as const)('opening %j', (opening, mode) => {
    expect(openFollow({ ...opening, newestSeq: 3 })).toEqual({ mode, seenSeq: 3 })
  })

  test('counts what came since the pause', () => {
    const entries = [9, 10, 11, 12].map((seq) => entry(seq, 'note'))
    expect(newEvents(paused, entries)).toBe(2)
    expect(newEvents(following, entries)).toBe(0)
  })
})

describe('the filter', () => {
  const [row] = eventRows([
    entry(1, 'tool.decided', { subject: 'write_file', verdict: 'denied', text: 'tax.py exists' }),
  ])

  test.each([
    ['', true],
    ['tax', true],
    ['denied tool:write_file', true],
    ['tool:read', false],
    ['-tax', false],
    ['-tool:read verdict:denied', true],
  ])('“%s”', (query, expected) => {
    expect(row !== undefined && matches(row, parseFilter(query), [])).toBe(expected)
  })

  test('chips narrow, and an unknown field is refused', () => {
    expect(row !== undefined && matches(row, parseFilter(''), ['stops'])).toBe(false)
    expect(row !== undefined && matches(row, parseFilter(''), ['denied'])).toBe(true)
    expect(parseFilter('colour:red')).toMatchObject({ ok: false })
  })
})

describe('density', () => {
  test('counts every event once and keeps the gravest verdict', () => {
    const rows = eventRows([
      entry(1, 'note'),
      entry(2, 'feedback.delivered', { verdict: 'info', at: AT + 1000 }),
      entry(3, 'tool.decided', { verdict: 'denied', at: AT + 1001 }),
      entry(4, 'note', { at: AT + 9_000 }),
    ])
    const { buckets } = density(rows, 4)
    expect(buckets.map(({ events }) => events)).toEqual([3, 0, 0, 1])
    expect(buckets[0]).toMatchObject({ mark: 'deny', seq: 3 })
  })

  test('one instant, no events, and instants outside the span', () => {
    expect(density(eventRows([entry(1, 'note')]), 3).buckets.map(({ events }) => events)).toEqual([
      1, 0, 0,
    ])
    expect(density([], 2).buckets).toHaveLength(2)
    expect(bucketOf(-5, { from: 0, to: 10, size: 4 })).toBe(0)
    expect(bucketOf(50, { from: 0, to: 10, size: 4 })).toBe(3)
  })
})
