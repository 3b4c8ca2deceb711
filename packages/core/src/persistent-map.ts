// An immutable map with structural sharing (a 16-way hash trie), so that a step costs the same after ten events and
// after a million, and states of the past stay valid for time travel. Keys are strings; order is not kept.

interface Leaf<Value> {
  readonly hash: number
  readonly entries: readonly (readonly [key: string, value: Value])[]
}
interface Branch<Value> {
  readonly slots: readonly (Node<Value> | undefined)[]
}
type Node<Value> = Leaf<Value> | Branch<Value>

export interface PersistentMap<Value> {
  readonly size: number
  readonly root: Node<Value> | undefined
}

const BITS = 4
const WIDTH = 1 << BITS

const EMPTY = { size: 0, root: undefined }

export function emptyMap<Value>(): PersistentMap<Value> {
  return EMPTY
}

function hashOf(key: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193)
  hash ^= hash >>> 15
  return hash >>> 0
}

function isLeaf<Value>(node: Node<Value>): node is Leaf<Value> {
  return 'entries' in node
}

function slotOf(hash: number, shift: number): number {
  return (hash >>> shift) & (WIDTH - 1)
}

export function getIn<Value>(map: PersistentMap<Value>, key: string): Value | undefined {
  const hash = hashOf(key)
  let node = map.root
  for (let shift = 0; node !== undefined; shift += BITS) {
    if (isLeaf(node)) return node.entries.find(([known]) => known === key)?.[1]
    node = node.slots[slotOf(hash, shift)]
  }
  return undefined
}

export function setIn<Value>(
  map: PersistentMap<Value>,
  key: string,
  value: Value,
): PersistentMap<Value> {
  const leaf: Leaf<Value> = { hash: hashOf(key), entries: [[key, value]] }
  const root = map.root === undefined ? leaf : insert(map.root, leaf, 0)
  return { size: map.size + (getIn(map, key) === undefined ? 1 : 0), root }
}

function insert<Value>(node: Node<Value>, leaf: Leaf<Value>, shift: number): Node<Value> {
  if (isLeaf(node)) {
    if (node.hash === leaf.hash) {
      const key = leaf.entries[0]?.[0]
      const others = node.entries.filter(([known]) => known !== key)
      return { hash: node.hash, entries: [...others, ...leaf.entries] }
    }
    const slots = new Array<Node<Value> | undefined>(WIDTH).fill(undefined)
    slots[slotOf(node.hash, shift)] = node
    return insert({ slots }, leaf, shift)
  }
  const slot = slotOf(leaf.hash, shift)
  const below = node.slots[slot]
  const slots = node.slots.slice()
  slots[slot] = below === undefined ? leaf : insert(below, leaf, shift + BITS)
  return { slots }
}

/** The map without `key`; the same map when it does not hold it. */
export function removeIn<Value>(map: PersistentMap<Value>, key: string): PersistentMap<Value> {
  if (map.root === undefined || getIn(map, key) === undefined) return map
  return { size: map.size - 1, root: remove(map.root, { key, hash: hashOf(key) }, 0) }
}

function remove<Value>(
  node: Node<Value>,
  target: { readonly key: string; readonly hash: number },
  shift: number,
): Node<Value> | undefined {
  if (isLeaf(node)) {
    const entries = node.entries.filter(([known]) => known !== target.key)
    return entries.length === 0 ? undefined : { hash: node.hash, entries }
  }
  const slot = slotOf(target.hash, shift)
  const below = node.slots[slot]
  if (below === undefined) return node
  const slots = node.slots.slice()
  slots[slot] = remove(below, target, shift + BITS)
  return slots.every((child) => child === undefined) ? undefined : { slots }
}

/** All entries, sorted by key so that two equal maps list equally however they were built. */
export function entriesOf<Value>(map: PersistentMap<Value>): [key: string, value: Value][] {
  const found: [string, Value][] = []
  const walk = (node: Node<Value> | undefined): void => {
    if (node === undefined) return
    if (isLeaf(node)) for (const [key, value] of node.entries) found.push([key, value])
    else node.slots.forEach(walk)
  }
  walk(map.root)
  return found.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
}

export function mapFrom<Value>(entries: Iterable<readonly [string, Value]>): PersistentMap<Value> {
  let map = emptyMap<Value>()
  for (const [key, value] of entries) map = setIn(map, key, value)
  return map
}
