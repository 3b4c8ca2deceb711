import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  emptyMap,
  getIn,
  hashMapKey,
  listEntries,
  mapFrom,
  type PersistentMap,
  removeIn,
  setIn,
} from './persistent-map.ts'

function hashFrom(state: number, text: string): number {
  let hash = state
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}

/** Two texts that lead to the same state. A few hundred thousand candidates contain such a pair. */
function pairFrom(state: number): { readonly pair: readonly string[]; readonly after: number } {
  const seen = new Map<number, string>()
  for (let i = 0; ; i++) {
    const text = i.toString(36)
    const after = hashFrom(state, text)
    const other = seen.get(after)
    if (other !== undefined) return { pair: [other, text], after }
    seen.set(after, text)
  }
}

function collidingKeys(): readonly string[] {
  let keys: readonly string[] = ['']
  let state = 0x811c9dc5
  for (let i = 0; i < 4; i++) {
    const { pair, after } = pairFrom(state)
    keys = keys.flatMap((key) => pair.map((part) => key + part))
    state = after
  }
  return keys
}

const COLLIDING = collidingKeys()
const FEW = ['a', 'b', 'c', 'd']
const MANY = Array.from({ length: 3000 }, (_, i) => `src/file-${i}.ts`)

const change = (keys: readonly string[]) =>
  fc.record({ key: fc.constantFrom(...keys), value: fc.option(fc.nat(99)) })

function expectEqual(
  map: PersistentMap<number>,
  model: ReadonlyMap<string, number>,
  keys: readonly string[],
): void {
  expect(keys.map((key) => getIn(map, key))).toEqual(keys.map((key) => model.get(key)))
  expect(listEntries(map)).toEqual([...model].sort(([a], [b]) => (a < b ? -1 : 1)))
}

describe.each([
  ['few keys', FEW],
  ['colliding keys', COLLIDING],
  ['many keys', MANY.slice(0, 60)],
  ['keys of all kinds', [...FEW, ...COLLIDING, ...MANY.slice(0, 30)]],
])('a persistent map of %s', (_, keys) => {
  it('answers like a Map after any changes, and so do its earlier states', () => {
    fc.assert(
      fc.property(fc.array(change(keys), { maxLength: 200, size: 'max' }), (changes) => {
        let map: PersistentMap<number> = emptyMap()
        const model = new Map<string, number>()
        const pasts: [PersistentMap<number>, Map<string, number>][] = []
        for (const { key, value } of changes) {
          pasts.push([map, new Map(model)])
          map = value === null ? removeIn(map, key) : setIn(map, key, value)
          if (value === null) model.delete(key)
          else model.set(key, value)
        }
        for (const [past, known] of pasts.slice(-20)) expectEqual(past, known, keys)
        expectEqual(map, model, keys)
      }),
      { numRuns: 50 },
    )
  })
})

describe('a persistent map', () => {
  it('holds thousands of keys and returns them all', () => {
    const map = mapFrom(MANY.map((key, i) => [key, i]))
    expect(MANY.map((key) => getIn(map, key))).toEqual(MANY.map((_, i) => i))
    expect(MANY.map((key) => getIn(map, key, hashMapKey(key)))).toEqual(MANY.map((_, i) => i))
    expect(getIn(map, 'elsewhere')).toBeUndefined()
    const half = MANY.filter((_, i) => i % 2 === 0).reduce(removeIn, map)
    expect(listEntries(half)).toHaveLength(MANY.length / 2)
    expect(MANY.reduce(removeIn, half)).toBe(emptyMap())
  })

  it('a persistent map stays the same map when the key to remove is missing', () => {
    const [small, large] = [mapFrom([['a', 1]]), mapFrom(MANY.map((key) => [key, 1]))]
    expect(removeIn(small, 'x')).toBe(small)
    expect(removeIn(large, 'x')).toBe(large)
  })
})
