import { describe, expect, test } from 'vitest'
import type { IndexEntry } from '@/server/sessions/log/event-index.sql.ts'
import { density, findBucket, nearestSeq } from './density.ts'
import { matchesChips } from './event-chips.ts'
import { matches, parseFilter, payloadWords } from './event-filter.ts'
import { firstWindow, mergeEntries, missingRanges, pieces } from './event-log.ts'
import { type Follow, type FollowAction, follow, newEvents, openFollow } from './follow.ts'
import {
  type EventRow,
  findLastBlock,
  findSeqIndex,
  rowReader,
  sessionRows,
} from './rows/session-rows.ts'
import { computePosition, viewedSeq } from './state/position.ts'
import { idleStretches, shownSpan, stripAxis, wholeSpan } from './strip-axis.ts'
import { stripLetters, stripPaths } from './strip-shapes.ts'

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

test('findLastBlock gives the reason of the last stop up to an event only if it was blocked', () => {
  const text = 'Required file a.md is missing · attempt 1'
  const entries = [
    ...CALL,
    entry(4, 'stop.attempted'),
    entry(5, 'stop.decided', { verdict: 'blocked', text }),
    entry(6, 'plan.updated'),
    entry(7, 'stop.attempted'),
    entry(8, 'stop.decided', { verdict: 'allowed', text: 'All checks passed · attempt 2' }),
  ]
  const at = [4, 5, 7, 8].map((seq) => findLastBlock(entries, seq))
  expect(at).toEqual([undefined, text, text, undefined])
})

describe('session rows', () => {
  test('show a call as one row with its arguments', () => {
    expect(eventRows(CALL)).toMatchObject([
      { seq: 2, members: [1, 2, 3], verdict: 'allowed', text: 'a.py', durationMs: 38 },
    ])
    expect(eventRows(CALL, false).map(({ seq }) => seq)).toEqual([1, 2, 3])
  })

  test('select any linked event of a row, with the state after the whole row', () => {
    const [row = null] = eventRows(CALL)
    expect([1, 2, 3, null].map((asked) => viewedSeq(row, asked, 3))).toEqual([1, 2, 3, 2])
    expect(viewedSeq(null, 900, 40)).toBe(40)
    expect(computePosition(row, null, 3)).toMatchObject({ seq: 3, other: 0 })
  })

  test('describe a denied call by its reason', () => {
    const denied = entry(2, 'tool.decided', { verdict: 'denied', text: 'a.py was not read' })
    expect(eventRows([CALL[0] ?? denied, denied])).toMatchObject([{ text: 'a.py was not read' }])
  })

  test.each([
    ['success · x', 'It ran anyway · a.py was not read'],
    ['denied', 'a.py was not read'],
  ])('describe a denied call with outcome "%s" as "%s"', (outcome, text) => {
    const denied = entry(2, 'tool.decided', { verdict: 'denied', text: 'a.py was not read' })
    const finished = entry(3, 'tool.invoked', { subject: 'Read', text: outcome })
    expect(eventRows([CALL[0] ?? denied, denied, finished])).toMatchObject([{ text }])
  })

  test.each([
    ['end of turn', 'All checks passed · attempt 3'],
    ['final', 'All checks passed · final verification'],
  ])('describe a stop attempted by %s as "%s"', (via, text) => {
    const asked = entry(1, 'stop.attempted', { text: via })
    const decided = entry(2, 'stop.decided', {
      verdict: 'allowed',
      text: 'All checks passed · attempt 3',
    })
    expect(eventRows([asked, decided])).toMatchObject([{ seq: 2, text }])
  })

  test('show an allowed call that shadow rules would have denied as its action and their names, and count it apart from denials', () => {
    const text = 'Allowed, would have been denied by shadow rule order'
    const [asked, , done] = CALL
    const decided = entry(2, 'tool.decided', { verdict: 'would_deny', text })
    const [row] = eventRows([asked, decided, done].filter((one) => one !== undefined))
    expect(row).toMatchObject({ verdict: 'would_deny', text: `a.py · ${text}`, durationMs: 38 })
    expect(row === undefined || matchesChips(row, ['denied'])).toBe(false)
    expect(row !== undefined && matchesChips(row, ['shadow'])).toBe(true)
  })

  test('call an incomplete final verification incomplete, because it blocks nothing', () => {
    const asked = entry(1, 'stop.attempted', { text: 'final' })
    const decided = entry(2, 'stop.decided', {
      verdict: 'blocked',
      text: 'A plan step · attempt 2',
    })
    expect(eventRows([asked, decided])).toMatchObject([
      { verdict: 'incomplete', text: 'A plan step · final verification' },
    ])
  })

  test('keep the native name of a tool, and match a search for it', () => {
    const asked = entry(1, 'tool.requested', { subject: 'write_file', nativeTool: 'Write' })
    const denied = entry(2, 'tool.decided', { verdict: 'denied', text: 'a.py was not read' })
    const [row] = eventRows([asked, denied])
    expect(row).toMatchObject({ seq: 2, subject: 'write_file', nativeTool: 'Write' })
    const found = ['tool:write_file', 'tool:Write', 'tool:Edit'].map(
      (query) => row !== undefined && matches(row, parseFilter(query)),
    )
    expect(found).toEqual([true, true, false])
  })

  test('include a separate row for an ambiguous result', () => {
    const requests = [1, 3].flatMap((seq) => [
      entry(seq, 'tool.requested', { subject: 'Read' }),
      entry(seq + 1, 'tool.decided', { verdict: 'allowed' }),
    ])
    const rows = eventRows([...requests, entry(5, 'tool.invoked', { subject: 'Read' })])
    expect(rows.map(({ members }) => members)).toEqual([[1, 2], [3, 4], [5]])
  })

  test('attach usage to the previous row, or give it a row when every event has one', () => {
    const entries = [...CALL, entry(4, 'usage.recorded')]
    expect(eventRows(entries)).toMatchObject([{ seq: 2, members: [1, 2, 3, 4] }])
    expect(eventRows(entries, false)).toHaveLength(4)
  })

  test('session rows are found by every event that they contain', () => {
    const rows = sessionRows(CALL, true)
    expect([1, 2, 3].map((seq) => findSeqIndex(rows, seq))).toEqual([0, 0, 0])
    expect(findSeqIndex(rows, 4)).toBe(-1)
  })

  test('mark a failed call as not counted, but not a denied one', () => {
    const failed = [
      ...CALL.slice(0, 2),
      entry(3, 'tool.invoked', { subject: 'Read', text: 'failure · no' }),
    ]
    expect(eventRows(failed)).toMatchObject([
      { isUndone: true, text: 'a.py · failure · no · not counted' },
    ])
    expect(eventRows(failed, false).map(({ isUndone }) => isUndone)).toEqual([true, true, false])
    expect(eventRows(CALL)).toMatchObject([{ isUndone: false }])
  })

  test('session rows are the same when events are read in parts or all together', () => {
    const call = (from: number) =>
      CALL.map((one) =>
        entry(one[0] + from, one[2], { subject: one[4] ?? '', verdict: one[3], text: one[5] }),
      )
    const entries = [...call(0), ...call(3), ...call(6), entry(12, 'note')]
    const read = rowReader(true)
    for (const end of [1, 2, 5, 9, 10]) {
      expect(read(entries.slice(0, end))).toEqual(sessionRows(entries.slice(0, end), true))
    }
    const tail = entries.slice(4)
    expect(read(tail)).toEqual(sessionRows(tail, true))
  })

  test('include rows for missing numbers and new days', () => {
    const rows = sessionRows([entry(1, 'note'), entry(5, 'note', { at: AT + 86_400_000 })], true)
    expect(rows.map(({ kind }) => kind)).toEqual(['event', 'gap', 'date', 'event'])
    expect(rows[1]).toMatchObject({ from: 2, to: 4 })
    expect(new Set(rows.map(({ key }) => key)).size).toBe(4)
  })

  test.each([
    ['UTC', [2]],
    ['Europe/Berlin', [2, 4]],
    ['Asia/Kathmandu', [3]],
  ])('begin a day at midnight of %s', (zone, expected) => {
    const times = [
      '2026-10-24T18:20Z',
      '2026-10-25T00:10Z',
      '2026-10-25T18:30Z',
      '2026-10-25T23:10Z',
    ]
    const entries = times.map((text, index) => entry(index + 1, 'note', { at: Date.parse(text) }))
    const days = sessionRows(entries, true, zone).filter(({ kind }) => kind === 'date')
    expect(days.map(({ key }) => -key - 0.5)).toEqual(expected)
  })
})

describe('the session log', () => {
  const first = [entry(1, 'note'), entry(2, 'note')]

  test('contains every event once, in order', () => {
    const late = mergeEntries([...first, entry(5, 'note')], [entry(2, 'note'), entry(3, 'note')])
    expect(late.map(([seq]) => seq)).toEqual([1, 2, 3, 5])
    expect(missingRanges(late, 5)).toEqual([{ from: 4, to: 4 }])
    expect(missingRanges(mergeEntries(late, [entry(4, 'note')]), 5)).toEqual([])
  })

  test('reports the gaps before, between and after its events', () => {
    const held = [entry(3, 'note'), entry(4, 'note'), entry(7, 'note')]
    const missing = [
      { from: 1, to: 2 },
      { from: 5, to: 6 },
      { from: 8, to: 19 },
    ]
    expect(missingRanges(held, 19)).toEqual(missing)
    expect(missingRanges(held, 6)).toEqual(missing.slice(0, 2))
    expect(pieces([{ from: 8, to: 19 }], 5)).toEqual([
      { from: 8, to: 12 },
      { from: 13, to: 17 },
      { from: 18, to: 19 },
    ])
  })

  test.each([
    [{ selectedSeq: 48_000, isRunning: false, maxSeq: 50_000 }, 47_500],
    [{ selectedSeq: 10, isRunning: true, maxSeq: 50_000 }, 0],
    [{ selectedSeq: 99_999_999, isRunning: false, maxSeq: 50_000 }, 49_500],
    [{ selectedSeq: null, isRunning: true, maxSeq: 50_000 }, 49_000],
    [{ selectedSeq: null, isRunning: false, maxSeq: 50_000 }, 0],
  ])('when opened with %j begins after event #%i', (opening, afterSeq) => {
    expect(firstWindow(opening)).toEqual({ afterSeq, limit: 1_000 })
  })

  test('the session log stays identical when nothing is new', () => {
    expect(mergeEntries(first, first)).toBe(first)
    expect(mergeEntries(first, [])).toBe(first)
  })
})

describe('following a session', () => {
  const following: Follow = { mode: 'following', seenSeq: 0 }
  const paused: Follow = { mode: 'paused', seenSeq: 10 }

  test.each<readonly [string, Follow, FollowAction, Follow]>([
    ['select', following, { kind: 'select', newestSeq: 10 }, paused],
    ['scroll up', following, { kind: 'scroll_up', newestSeq: 10 }, paused],
    ['brush', following, { kind: 'brush', newestSeq: 10 }, paused],
    ['toggle', following, { kind: 'toggle', newestSeq: 10 }, paused],
    ['select while paused', paused, { kind: 'select', newestSeq: 12 }, paused],
    [
      'toggle while paused',
      paused,
      { kind: 'toggle', newestSeq: 12 },
      { mode: 'following', seenSeq: 10 },
    ],
    ['resume', paused, { kind: 'resume' }, { mode: 'following', seenSeq: 10 }],
  ])('pauses or follows after the action: %s', (...[, from, action, to]) => {
    expect(follow(from, action)).toEqual(to)
  })

  test.each([
    [{ isRunning: true, hasSelection: false, isPausedByLink: false }, 'following'],
    [{ isRunning: true, hasSelection: true, isPausedByLink: false }, 'paused'],
    [{ isRunning: true, hasSelection: false, isPausedByLink: true }, 'paused'],
    [{ isRunning: false, hasSelection: false, isPausedByLink: false }, 'paused'],
  ] as const)('is on or off after opening %j', (opening, mode) => {
    expect(openFollow({ ...opening, newestSeq: 3 })).toEqual({ mode, seenSeq: 3 })
  })

  test('counts events since the pause', () => {
    const entries = [9, 10, 11, 12].map((seq) => entry(seq, 'note'))
    expect(newEvents(paused, entries)).toBe(2)
    expect(newEvents(following, entries)).toBe(0)
  })
})

describe('the session filter', () => {
  const [row] = eventRows([
    entry(7, 'tool.decided', {
      subject: 'write_file',
      verdict: 'denied',
      text: 'tax.py exists',
      durationMs: 4_100,
    }),
  ])

  test.each([
    ['', true],
    ['tax', true],
    ['denied tool:write_file', true],
    ['tool:read', false],
    ['-tax', false],
    ['-tool:read verdict:denied', true],
    ['tool:(bash OR write_file)', true],
    ['-tool:(bash OR write_file)', false],
    ['"tax.py exists"', true],
    ['"exists tax.py"', false],
    ['dur:>4s', true],
    ['dur:<4s', false],
    ['-dur:<100ms', true],
    ['seq:7', true],
    ['seq:>#7', false],
    ['at:>2026-11-20T14:00Z at:<2026-11-20T14:01', true],
    ['at:<2026-11-20', false],
  ])('with the query “%s” matches the row: %s', (query, expected) => {
    expect(parseFilter(query)).toMatchObject({ ok: true })
    expect(row !== undefined && matches(row, parseFilter(query))).toBe(expected)
  })

  test.each([
    ['color:red', '“color” is not a field. Use tool, verdict, type, provider, seq, dur, at.'],
    ['dur:soon', '“soon” is not a value of dur.'],
    ['tool:>3', '“tool” is text and cannot be compared.'],
    ['bash OR deploy', '“OR” stands alone. Alternatives are written field:(one OR another).'],
    ['tool:(bash OR', 'A bracket is not closed.'],
    ['tool:(bash deploy)', 'Write “(bash deploy)” as (one OR another).'],
    ['"never closed', 'A quotation mark is not closed.'],
  ])('rejects the query “%s” with the reason', (query, message) => {
    expect(parseFilter(query)).toEqual({ ok: false, message })
    expect(row !== undefined && matches(row, parseFilter(query))).toBe(false)
  })

  test('searches payloads for bare words, but not for fields', () => {
    expect(payloadWords(parseFilter('tool:bash "a b" -gone Seen'))).toEqual(['a b', 'seen'])
    const inPayload = (query: string) => row !== undefined && matches(row, parseFilter(query), true)
    expect(inPayload('unseen tool:write')).toBe(true)
    expect(inPayload('unseen tool:read')).toBe(false)
  })

  test('narrows to event types with chips', () => {
    expect(row !== undefined && matchesChips(row, ['stops'])).toBe(false)
    expect(row !== undefined && matchesChips(row, ['denied', 'stops'])).toBe(true)
    expect(row !== undefined && matchesChips(row, [])).toBe(true)
  })
})

describe('the strip of a session', () => {
  const rows = eventRows([
    entry(1, 'note'),
    entry(2, 'feedback.delivered', { verdict: 'info', at: AT + 1000 }),
    entry(3, 'tool.decided', { verdict: 'denied', at: AT + 1001 }),
    entry(4, 'note', { at: AT + 9_000 }),
  ])
  const times = rows.map(({ at }) => at)
  const axis = stripAxis(wholeSpan(times), [])

  test('counts every event once and keeps the most severe verdict', () => {
    const buckets = density(rows, axis, 4)
    expect(buckets.map(({ events }) => events)).toEqual([3, 0, 0, 1])
    expect(buckets[0]).toEqual({ events: 3, mark: 'denied', marked: 1, seq: 3 })
    expect([0, 1, 2, 3].map((at) => nearestSeq(buckets, at))).toEqual([3, 3, 4, 4])
  })

  test('handles a single time, no events, and times outside the range', () => {
    const [only] = rows
    const instant = stripAxis(wholeSpan([AT]), [])
    const one = density(only === undefined ? [] : [{ ...only, at: AT }], instant, 3)
    expect(one.map(({ events }) => events)).toEqual([1, 0, 0])
    expect(density([], stripAxis(wholeSpan([]), []), 2)).toHaveLength(2)
    expect(findBucket(axis, AT - 5, 4)).toBe(0)
    expect(findBucket(axis, AT + 99_000, 4)).toBe(3)
  })

  test('shows the zoomed part, or everything when that part is outside of the session', () => {
    const whole = wholeSpan(times)
    const span = shownSpan(whole, { from: AT + 900, to: AT + 1_001 })
    const part = density(rows, stripAxis(span, []), 2)
    expect(part.map(({ events }) => events)).toEqual([2, 1])
    expect(shownSpan(whole, { from: 0, to: 5 })).toEqual(whole)
  })

  test('narrows collapsed idle time and still maps positions to times and back', () => {
    const hour = 3_600_000
    const day = [0, 1, 2, 3, 3 + hour, 4 + hour].map((ms) => AT + ms)
    const span = wholeSpan(day)
    const idle = idleStretches(day, span)
    expect(idle).toEqual([{ from: AT + 3, to: AT + 3 + hour }])
    const collapsed = stripAxis(span, idle)
    expect(collapsed.computeShare(AT + 3 + hour) - collapsed.computeShare(AT + 3)).toBeLessThan(
      0.05,
    )
    for (const at of [...day, AT + hour / 2]) {
      expect(Math.abs(collapsed.instantAt(collapsed.computeShare(at)) - at)).toBeLessThan(1)
    }
  })

  test('gives every verdict its own shape, with letters that do not overlap', () => {
    const kinds = ['info', 'caution', 'warning', 'blocked', 'denied', 'bypassed', 'error'] as const
    const paths = kinds.map(
      (mark) => stripPaths([{ events: 1, mark, marked: 1, seq: 1 }], 8).marks[mark],
    )
    expect(new Set(paths.slice(0, 5)).size).toBe(5)
    expect(paths.every((path) => path !== '')).toBe(true)
    const denied = Array.from(
      { length: 10 },
      () => ({ events: 1, marked: 1, seq: 1, mark: 'denied' }) as const,
    )
    expect(stripLetters(denied, 40)).toHaveLength(4)
  })

  test("the strip of a session does not fill a bucket's bar for one denied call among many", () => {
    const readMarkTop = (marked: number): number => {
      const { marks } = stripPaths([{ events: 100, mark: 'denied', marked, seq: 1 }], 8)
      return Number(/^M0 ([\d.]+)/.exec(marks.denied)?.[1])
    }
    expect(readMarkTop(1)).toBe(24)
    expect(readMarkTop(50)).toBe(17)
    expect(readMarkTop(100)).toBe(4)
  })
})
