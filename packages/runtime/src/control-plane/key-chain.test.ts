import { derivePublicKey, type SignedKeyRecord, signKeyRecord, signText } from '@signalbox/wire'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { advancedTo, compareTrust, joined, learned, rootedIn, type Trust } from './key-chain.ts'

const createSeed = (n: number) => Buffer.alloc(32, n + 1).toString('base64url')
const SEEDS = Array.from({ length: 6 }, (_, n) => createSeed(n))
const KEYS = SEEDS.map((seed) => derivePublicKey(seed))
const key = (n: number): string => KEYS[n] ?? ''
const seed = (n: number): string => SEEDS[n] ?? ''
const PROJECT = 'shop'

const made = new Map<string, SignedKeyRecord>()
/** Signing takes milliseconds, and the laws use the same few records repeatedly. */
function once(name: string, make: () => SignedKeyRecord): SignedKeyRecord {
  const one = made.get(name) ?? make()
  made.set(name, one)
  return one
}

const record = (from: number, to: number, project = PROJECT): SignedKeyRecord =>
  once(`${from} ${to} ${project}`, () =>
    signKeyRecord({ project, createdAt: 1000 }, { previous: seed(from), next: seed(to) }),
  )
const pinned = (n: number): Trust => ({ key: key(n), next: [], past: [] })
const after = (trust: Trust, records: readonly SignedKeyRecord[]) =>
  learned(trust, records, PROJECT).trust

function forged(from: number, to: number, by: { previous: number; next: number }): SignedKeyRecord {
  return once(`${from} ${to} ${by.previous} ${by.next}`, () => {
    const { text } = record(from, to)
    const by_previous = signText(text, seed(by.previous))
    return { text, by_previous, by_next: signText(text, seed(by.next)) }
  })
}

describe('a runtime following key records', () => {
  test('follows a chain of key records in any order and with duplicates', () => {
    const records = [record(2, 3), record(0, 1), record(1, 2), record(0, 1)]
    expect(after(pinned(0), records)).toEqual({
      key: key(0),
      next: [key(1), key(2), key(3)],
      past: [],
    })
  })

  test.each([
    ['a record that the previous key did not sign', forged(0, 1, { previous: 1, next: 1 })],
    ['a record that the next key did not sign', forged(0, 1, { previous: 0, next: 0 })],
    ['a record of another project', record(0, 1, 'bank')],
    ['a record with a changed text', { ...record(0, 1), text: record(0, 2).text }],
    ['a text that is not a record', { text: '{}', by_previous: '', by_next: '' }],
    ['a record of a key that was not reached', record(2, 3)],
    ['a record from a key to itself', record(0, 0)],
  ])('does not follow %s', (_, bad) => {
    expect(after(pinned(0), [bad])).toEqual(pinned(0))
  })

  test('a runtime following key records does not return to a superseded key, for any signer', () => {
    const trust = advancedTo(after(pinned(0), [record(0, 1)]), key(1))
    expect(after(trust, [record(1, 0)])).toEqual(trust)
  })

  test('a runtime following key records does not follow a record signed by a superseded key', () => {
    const trust = advancedTo(after(pinned(0), [record(0, 1)]), key(1))
    expect(after(trust, [record(0, 2)])).toEqual(trust)
  })

  test('ignores and reports a second successor of a key, and follows neither when both are new', () => {
    const trust = after(pinned(0), [record(0, 1)])
    expect(learned(trust, [record(0, 1), record(0, 2), record(2, 3)], PROJECT)).toEqual({
      trust,
      disputed: key(0),
    })
    expect(learned(pinned(0), [record(0, 1), record(0, 2)], PROJECT)).toEqual({
      trust: pinned(0),
      disputed: key(0),
    })
  })

  test('follows no record without a first key', () => {
    const nothing = { key: '', next: [], past: [] }
    expect(after(nothing, [record(0, 1)])).toEqual(nothing)
  })
})

describe('a bundle of a later key', () => {
  test('supersedes all keys before it, including skipped keys', () => {
    const trust = after(pinned(0), [record(0, 1), record(1, 2), record(2, 3)])
    expect(advancedTo(trust, key(2))).toEqual({
      key: key(2),
      next: [key(3)],
      past: [key(0), key(1)],
    })
    expect(advancedTo(trust, key(5))).toBe(trust)
    expect(advancedTo(trust, key(0))).toBe(trust)
  })
})

describe('a key given by the host', () => {
  const moved = advancedTo(after(pinned(0), [record(0, 1), record(1, 2)]), key(1))

  test('changes nothing when it is the current key or a superseded one', () => {
    expect(rootedIn(moved, key(1))).toBe(moved)
    expect(rootedIn(moved, key(0))).toBe(moved)
  })

  test('becomes the current key when it is a known successor', () => {
    expect(rootedIn(moved, key(2))).toEqual({ key: key(2), next: [], past: [key(0), key(1)] })
  })

  test('becomes the current key when it is unknown, and supersedes all earlier keys', () => {
    const anew = rootedIn(moved, key(4))
    expect(anew).toEqual({ key: key(4), next: [], past: [key(0), key(1), key(2)] })
    expect(after(anew, [record(4, 1)])).toEqual(anew)
  })
})

describe('properties of the key chain', () => {
  const runs = { numRuns: 40 }
  const records = fc.array(
    fc
      .tuple(fc.nat(5), fc.nat(5), fc.constantFrom('good', 'stolen', 'foreign'))
      .map(([from, to, kind]) =>
        kind === 'good'
          ? record(from, to)
          : kind === 'foreign'
            ? record(from, to, 'bank')
            : forged(from, to, { previous: (from + 1) % 6, next: to }),
      ),
    { maxLength: 8 },
  )
  const steps = fc.array(
    fc.oneof(records, fc.nat(5)), // records to read, or a key whose bundle comes
    { maxLength: 10 },
  )
  function walked(given: readonly (number | readonly SignedKeyRecord[])[]): readonly Trust[] {
    const seen = [pinned(0)]
    for (const step of given) {
      const last = seen.at(-1) ?? pinned(0)
      seen.push(typeof step === 'number' ? advancedTo(last, key(step)) : after(last, step))
    }
    return seen
  }

  test('a superseded key is never trusted again, and no key is used twice', () => {
    fc.assert(
      fc.property(steps, (given) => {
        const gone = new Set<string>()
        for (const { key: now, next, past } of walked(given)) {
          for (const each of past) gone.add(each)
          const believed = [now, ...next]
          expect(believed.some((each) => gone.has(each))).toBe(false)
          expect(new Set(believed).size).toBe(believed.length)
          expect([...gone].every((each) => past.includes(each))).toBe(true)
        }
      }),
      runs,
    )
  })

  test('key records alone never change the key in force', () => {
    fc.assert(
      fc.property(records, (given) => {
        expect(after(pinned(0), given).key).toBe(key(0))
      }),
      runs,
    )
  })

  test('reading the same records again changes nothing', () => {
    fc.assert(
      fc.property(records, (given) => {
        const once = after(pinned(0), given)
        expect(after(once, given)).toEqual(once)
      }),
      runs,
    )
  })

  test('the later of two positions in a chain wins, and joining equal positions is symmetric', () => {
    fc.assert(
      fc.property(steps, fc.nat(10), (given, at) => {
        const all = walked(given)
        const [early = pinned(0), late = pinned(0)] = [
          all[Math.min(at, all.length - 1)],
          all.at(-1),
        ]
        const relation = compareTrust(early, late)
        expect(relation).toBe(early.key === late.key ? 'same' : 'theirs')
        if (relation === 'same') expect(joined(early, late)).toEqual(joined(late, early))
      }),
      runs,
    )
  })
})
