import { describe, expect, test } from 'vitest'
import type { IndexEntry } from '@/server/sessions/log/event-index.sql.ts'
import { sessionRows } from '../rows/session-rows.ts'
import { comparison } from './compare-steps.ts'

/** Each step is a call and its verdict. */
function session(...steps: readonly (readonly [asked: string, verdict: string])[]) {
  const entries = steps.flatMap(([asked, verdict], index): readonly IndexEntry[] => {
    const seq = index * 2 + 1
    const reason = verdict === 'denied' ? 'Not now' : asked
    return [
      [seq, seq, 'tool.requested', null, 'bash', asked, null, null],
      [seq + 1, seq + 1, 'tool.decided', verdict, 'bash', reason, null, null],
    ]
  })
  return sessionRows(entries, true).filter((row) => row.kind === 'event')
}

const listPairKinds = (a: ReturnType<typeof session>, b: ReturnType<typeof session>) =>
  comparison(a, b).pairs.map(({ a: one, b: other, kind }) => [
    one?.asked ?? null,
    other?.asked ?? null,
    kind,
  ])

describe('the comparison of two sessions', () => {
  const base = session(['ls', 'allowed'], ['test', 'allowed'], ['push', 'allowed'])

  test('finds no difference between sessions with the same steps', () => {
    expect(comparison(base, base)).toMatchObject({ first: null, different: [] })
  })

  test('reports a different verdict even when the text is the reason', () => {
    const denied = session(['ls', 'allowed'], ['test', 'allowed'], ['push', 'denied'])
    expect(comparison(base, denied).first).toMatchObject({ index: 2, kind: 'verdict' })
  })

  test('realigns after steps that only one session has', () => {
    const longer = session(
      ...([
        ['ls', 'allowed'],
        ['lint', 'allowed'],
        ['fix', 'allowed'],
        ['test', 'allowed'],
        ['push', 'allowed'],
      ] as const),
    )
    expect(listPairKinds(base, longer)).toEqual([
      ['ls', 'ls', 'same'],
      [null, 'lint', 'step'],
      [null, 'fix', 'step'],
      ['test', 'test', 'same'],
      ['push', 'push', 'same'],
    ])
  })

  test('pairs unrelated sessions step by step', () => {
    expect(
      listPairKinds(session(['a', 'allowed'], ['b', 'allowed']), session(['x', 'allowed'])),
    ).toEqual([
      ['a', 'x', 'step'],
      ['b', null, 'step'],
    ])
  })
})
