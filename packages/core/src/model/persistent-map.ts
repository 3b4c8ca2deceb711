// Structural sharing, so that a step costs the same after ten events and after a million, and past states stay valid for time travel. Up to
// eight entries are a list; more are a 32-way hash trie of such lists. Order is not kept; undefined is not a value.

import { fnv1a } from './fnv.ts'

/** One shape for lists and branches, because lookups over two shapes cost twice as much (measured on Node 20). */
export interface PersistentMap<Value> {
  /** null: the map is a list, with its entries in `keys` and `values`. */
  readonly slots: readonly PersistentMap<Value>[] | null
  readonly keys: readonly string[]
  readonly values: readonly Value[]
}

interface Entry<Value> {
  readonly key: string
  readonly value: Value
  readonly hash: number
}

const BITS = 5
const WIDTH = 1 << BITS
/** At this depth every bit of the hash is used, so that lists grow without bound. */
const MAX_SHIFT = 32
/** Longest list. Up to this length, searching it is faster than hashing the key. */
const LIST = 8

const EMPTY: PersistentMap<never> = { slots: null, keys: [], values: [] }

export function emptyMap<Value>(): PersistentMap<Value> {
  return EMPTY
}

/** For callers that look the same key up in many maps. */
export function hashMapKey(key: string): number {
  const hash = fnv1a(key)
  return (hash ^ (hash >>> 15)) >>> 0
}

function computeSlot(hash: number, shift: number): number {
  return (hash >>> shift) & (WIDTH - 1)
}

function findKeyIndex(keys: readonly string[], key: string): number {
  for (let i = 0; i < keys.length; i++) if (keys[i] === key) return i
  return -1
}

/** `hash`: of the key, if it is known. */
export function getIn<Value>(
  map: PersistentMap<Value>,
  key: string,
  hash?: number,
): Value | undefined {
  const list = map.slots === null ? map : findLeafNode(map, hash ?? hashMapKey(key))
  const place = findKeyIndex(list.keys, key)
  return place < 0 ? undefined : list.values[place]
}

function findLeafNode<Value>(map: PersistentMap<Value>, hash: number): PersistentMap<Value> {
  let node = map
  for (let shift = 0; node.slots !== null; shift += BITS) {
    node = node.slots[computeSlot(hash, shift)] ?? EMPTY
  }
  return node
}

export function setIn<Value>(
  map: PersistentMap<Value>,
  key: string,
  value: Value,
): PersistentMap<Value> {
  if (map.slots !== null) return insert(map, { key, value, hash: hashMapKey(key) }, 0)
  const place = findKeyIndex(map.keys, key)
  if (place < 0 && map.keys.length >= LIST) {
    return insert(map, { key, value, hash: hashMapKey(key) }, 0)
  }
  return listWith(map, place, { key, value })
}

/** `place` < 0: the list does not contain the key. */
function listWith<Value>(
  { keys, values }: PersistentMap<Value>,
  place: number,
  { key, value }: Pick<Entry<Value>, 'key' | 'value'>,
): PersistentMap<Value> {
  if (place < 0) return { slots: null, keys: [...keys, key], values: [...values, value] }
  const changed = values.slice()
  changed[place] = value
  return { slots: null, keys, values: changed }
}

function insert<Value>(
  node: PersistentMap<Value>,
  entry: Entry<Value>,
  shift: number,
): PersistentMap<Value> {
  if (node.slots !== null) {
    const slot = computeSlot(entry.hash, shift)
    const slots = node.slots.slice()
    slots[slot] = insert(node.slots[slot] ?? EMPTY, entry, shift + BITS)
    return { slots, keys: EMPTY.keys, values: EMPTY.values }
  }
  const place = findKeyIndex(node.keys, entry.key)
  if (place >= 0 || node.keys.length < LIST || shift >= MAX_SHIFT) {
    return listWith(node, place, entry)
  }
  return insert(split(node, shift), entry, shift)
}

function split<Value>({ keys, values }: PersistentMap<Value>, shift: number): PersistentMap<Value> {
  const slots = new Array<PersistentMap<Value>>(WIDTH).fill(EMPTY)
  for (const [i, key] of keys.entries()) {
    const slot = computeSlot(hashMapKey(key), shift)
    const value = values[i]
    if (value !== undefined) slots[slot] = listWith(slots[slot] ?? EMPTY, -1, { key, value })
  }
  return { slots, keys: EMPTY.keys, values: EMPTY.values }
}

/** Returns the map without `key`; the same map if it does not contain the key. */
export function removeIn<Value>(map: PersistentMap<Value>, key: string): PersistentMap<Value> {
  if (map.slots !== null) return removeBelow(map, { key, hash: hashMapKey(key) }, 0)
  const place = findKeyIndex(map.keys, key)
  if (place < 0) return map
  if (map.keys.length === 1) return EMPTY
  return {
    slots: null,
    keys: map.keys.toSpliced(place, 1),
    values: map.values.toSpliced(place, 1),
  }
}

function removeBelow<Value>(
  node: PersistentMap<Value>,
  target: { readonly key: string; readonly hash: number },
  shift: number,
): PersistentMap<Value> {
  if (node.slots === null) return removeIn(node, target.key)
  const slot = computeSlot(target.hash, shift)
  const below = node.slots[slot] ?? EMPTY
  const without = removeBelow(below, target, shift + BITS)
  if (without === below) return node
  const slots = node.slots.slice()
  slots[slot] = without
  return slots.every((child) => child === EMPTY)
    ? EMPTY
    : { slots, keys: EMPTY.keys, values: EMPTY.values }
}

/** All entries, sorted by key, so that equal maps list equally regardless of the order of construction. */
export function listEntries<Value>(map: PersistentMap<Value>): [key: string, value: Value][] {
  const found: [string, Value][] = []
  const walk = ({ slots, keys, values }: PersistentMap<Value>): void => {
    for (const child of slots ?? []) walk(child)
    for (const [i, key] of keys.entries()) {
      const value = values[i]
      if (value !== undefined) found.push([key, value])
    }
  }
  walk(map)
  return found.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
}

export function mapFrom<Value>(entries: Iterable<readonly [string, Value]>): PersistentMap<Value> {
  let map = emptyMap<Value>()
  for (const [key, value] of entries) map = setIn(map, key, value)
  return map
}
