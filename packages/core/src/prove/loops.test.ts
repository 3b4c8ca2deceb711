import { expect, test } from 'vitest'
import { countMost, findTrap } from './loops.ts'
import { type Edge, STOPPED } from './moves.ts'

/** Edges as `0 a 1`: from a state, the tool that ran (`-`: none), to a state. */
function edges(...texts: readonly string[]): readonly Edge[] {
  return texts.map((text) => {
    const [from, ran, to] = text.split(' ')
    return { from: Number(from), ran: ran === '-' ? null : (ran ?? ''), to: Number(to) }
  })
}
const stop = (at: number): Edge => ({ from: at, ran: STOPPED, to: at })

test.each<[string, { readonly count: number; readonly all: readonly Edge[] }, number | null]>([
  ['no stop passes anywhere', { count: 2, all: edges('0 a 1') }, 0],
  ['a stop passes in the end', { count: 3, all: [...edges('0 a 1', '1 - 2'), stop(2)] }, null],
  ['a call leads away from all stops', { count: 3, all: [...edges('0 a 1', '0 b 2'), stop(1)] }, 2],
  ['a stop passes before', { count: 2, all: [...edges('0 a 1'), stop(0)] }, 1],
  ['a loop has a way out', { count: 3, all: [...edges('0 a 1', '1 b 0', '1 c 2'), stop(2)] }, null],
  [
    'a loop has none',
    { count: 4, all: [...edges('0 a 1', '0 - 3', '1 b 2', '2 c 1'), stop(3)] },
    1,
  ],
])('the first state from which no stop passes, where %s', (_, { count, all }, trap) => {
  expect(findTrap(count, all)).toBe(trap)
})

test.each<[string, readonly Edge[], number | null]>([
  ['none', edges('0 b 1', '1 - 2'), 0],
  ['one after another', edges('0 a 1', '1 b 2', '2 a 3'), 2],
  ['on the longer of two ways', edges('0 b 3', '0 a 1', '1 a 2', '2 b 3', '3 a 4'), 3],
  ['on the longer way, told first', edges('3 a 4', '2 b 3', '1 a 2', '0 a 1', '0 b 3'), 3],
  ['in a loop', edges('0 b 1', '1 a 2', '2 - 1'), null],
  ['in a call that changes nothing', edges('0 a 0'), null],
  ['beside a loop', edges('0 b 1', '1 b 0', '1 a 2', '2 - 3', '3 - 2', '3 a 4'), 2],
  ['in an inner loop', edges('0 - 1', '1 - 2', '2 - 0', '2 a 3', '3 - 1'), null],
  ['where ways meet that are no loop', edges('0 - 1', '0 - 2', '1 a 3', '2 a 3', '3 a 4'), 2],
  ['in the second of two separate parts', edges('0 - 1', '2 a 3', '3 a 4'), 2],
])('most calls of a tool on one way: %s', (_, all, most) => {
  expect(countMost(5, all, 'a')).toBe(most)
})

test('a long way is counted without recursion', () => {
  const count = 20_000
  const all = Array.from({ length: count }, (_, i): Edge => ({ from: i, to: i + 1, ran: 'a' }))
  expect(countMost(count + 1, all, 'a')).toBe(count)
})
