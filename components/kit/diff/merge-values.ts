// Rules are matched by id at any position of their list; any other list is a single value.
import { isJsonObject, type JsonObject, type JsonValue } from '@signalbox/core'

export type Maybe = JsonValue | undefined

/** Compares as JSON: the order of fields does not matter, the order of items does. */
export function isSame(one: Maybe, other: Maybe): boolean {
  if (one === other) return true
  if (Array.isArray(one) && Array.isArray(other)) {
    const [left, right]: readonly (readonly JsonValue[])[] = [one, other]
    if (left === undefined || right === undefined) return false
    return left.length === right.length && left.every((item, at) => isSame(item, right[at]))
  }
  if (one === undefined || other === undefined) return false
  if (!isJsonObject(one) || !isJsonObject(other)) return false
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name]))
  )
}

export function getMember(value: JsonObject, name: string): Maybe {
  return Object.hasOwn(value, name) ? value[name] : undefined
}

export type Rules = ReadonlyMap<string, JsonObject>

/** Null unless the value is a list of objects with distinct ids. */
export function rulesIn(value: Maybe): Rules | null {
  if (!Array.isArray(value)) return null
  const items: readonly JsonValue[] = value
  const rules = new Map<string, JsonObject>()
  for (const item of items) {
    const id = isJsonObject(item) ? getMember(item, 'id') : undefined
    if (!isJsonObject(item) || typeof id !== 'string' || rules.has(id)) return null
    rules.set(id, item)
  }
  return rules
}

/** Ids of `order` that all other lists contain, in that order. */
function shared(order: Rules, ...others: readonly Rules[]): readonly string[] {
  return [...order.keys()].filter((id) => others.every((other) => other.has(id)))
}

/** Side whose order the shared rules get: `mine` also if both have the same order; null: both changed it, differently. */
export function chooseOrder(base: Rules, mine: Rules, theirs: Rules): 'mine' | 'theirs' | null {
  const before = shared(base, mine, theirs).join('\n')
  const [own, other] = [
    shared(mine, base, theirs).join('\n'),
    shared(theirs, base, mine).join('\n'),
  ]
  if (own === other || other === before) return 'mine'
  return own === before ? 'theirs' : null
}

/** If both sides added rules at one place, the group with the smaller first id comes first: the result does not depend on who merges. */
export function mergedOrder(
  kept: ReadonlySet<string>,
  lists: { readonly first: Rules; readonly second: Rules },
): readonly string[] {
  const { first, second } = lists
  const both = new Set([...first.keys()].filter((id) => second.has(id) && kept.has(id)))
  const groups = [groupInsertions(first, both, kept), groupInsertions(second, both, kept)]
  const after = (anchor: string): readonly string[] => {
    const found = groups.map((group) => group.get(anchor) ?? [])
    return found.sort(([a = ''], [b = '']) => (a < b ? -1 : 1)).flat()
  }
  return [...after(''), ...[...both].flatMap((id) => [id, ...after(id)])]
}

/** Kept rules of `list` that are not in `both`, by the shared rule before them; '' for the start. */
function groupInsertions(
  list: Rules,
  both: ReadonlySet<string>,
  kept: ReadonlySet<string>,
): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>()
  let anchor = ''
  for (const id of list.keys()) {
    if (both.has(id)) anchor = id
    else if (kept.has(id)) groups.set(anchor, [...(groups.get(anchor) ?? []), id])
  }
  return groups
}
