import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Session } from './session.ts'
import { append, defineSlice, replaceLatest } from './slice.ts'
import type { SessionTransaction } from './transaction.ts'

const Note = defineSlice<string>('note')
const Goal = defineSlice<string>('goal', { reduce: replaceLatest() })

describe('a session transaction', () => {
  test('reads its own writes, which the session sees at the commit', () => {
    const session = new Session()
    session.dispatch(Note('before'))
    const transaction = session.begin()
    transaction.dispatch(Note('mine'))
    expect(transaction.slice(Note).all()).toEqual(['before', 'mine'])
    expect(session.slice(Note).all()).toEqual(['before'])
    transaction.commit()
    expect(session.slice(Note).all()).toEqual(['before', 'mine'])
  })

  test('sees events that its session receives meanwhile', () => {
    const session = new Session()
    const transaction = session.begin()
    transaction.dispatch(Note('mine'))
    session.dispatch(Note('theirs'))
    expect(transaction.slice(Note).all()).toEqual(['theirs', 'mine'])
  })

  test('leaves no trace when discarded, and calls no listener', () => {
    const session = new Session()
    const heard: string[] = []
    session.subscribe(Note, (text) => heard.push(text))
    const transaction = session.begin()
    transaction.dispatch(Note('mine'))
    transaction.slice(Goal).seed('win')
    transaction.discard()
    expect(session.snapshot().slices).toEqual({ note: [], goal: [] })
    expect(heard).toEqual([])
  })

  test('a session transaction cannot be written after its end', () => {
    const transaction = new Session().begin()
    transaction.commit()
    expect(() => transaction.dispatch(Note('late'))).toThrow('The tool call is over')
    expect(() => transaction.commit()).toThrow('The tool call is over')
  })

  test('commits nothing when one of its events no longer fits', () => {
    const Once = defineSlice<string>('once', {
      reduce: (slice, value) => {
        if (slice.latest() !== null) throw new Error('only once')
        return append(value)
      },
    })
    const session = new Session()
    const transaction = session.begin()
    transaction.dispatch(Note('mine'))
    transaction.dispatch(Once('mine'))
    session.dispatch(Once('theirs'))
    expect(() => transaction.commit()).toThrow('only once')
    expect(session.slice(Note).all()).toEqual([])
    expect(session.slice(Once).all()).toEqual(['theirs'])
  })
})

type Write = (session: Pick<Session, 'dispatch' | 'slice'>) => void

const write: fc.Arbitrary<Write> = fc.oneof(
  fc.string().map(
    (text): Write =>
      (session) =>
        session.dispatch(Note(text)),
  ),
  fc.string().map(
    (text): Write =>
      (session) =>
        session.dispatch(Goal(text)),
  ),
  fc.constant<Write>((session) => session.slice(Note).clear()),
)

/** Next move of one of four calls: it writes, or it ends when `write` is null. */
const move = fc.record({
  call: fc.nat(3),
  write: fc.option(write),
  end: fc.constantFrom('commit' as const, 'discard' as const),
})

class Race {
  readonly overlapping = new Session({ slices: [Note, Goal] })
  readonly alone = new Session({ slices: [Note, Goal] })
  readonly #open = new Map<number, { transaction: SessionTransaction; writes: Write[] }>()

  write(call: number, write: Write): void {
    const mine = this.#open.get(call) ?? { transaction: this.overlapping.begin(), writes: [] }
    this.#open.set(call, mine)
    write(mine.transaction)
    mine.writes.push(write)
  }

  end(call: number, how: 'commit' | 'discard'): void {
    const mine = this.#open.get(call)
    this.#open.delete(call)
    mine?.transaction[how]()
    if (how === 'commit') for (const write of mine?.writes ?? []) write(this.alone)
  }
}

describe('overlapping session transactions', () => {
  test('give the same result as the committed transactions run alone, in commit order', () => {
    fc.assert(
      fc.property(fc.array(move, { maxLength: 40 }), (moves) => {
        const race = new Race()
        for (const { call, write: written, end } of moves) {
          if (written === null) race.end(call, end)
          else race.write(call, written)
        }
        expect(race.overlapping.snapshot().slices).toEqual(race.alone.snapshot().slices)
      }),
    )
  })
})
