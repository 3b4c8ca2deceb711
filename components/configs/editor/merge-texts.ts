// My text keeps its layout; changes of the other side are written into it.
import { isJsonObject, type JsonObject, type JsonValue } from '@signalbox/core'
import { type Node, parseTree } from 'jsonc-parser'
import {
  applyEdit,
  insertItem,
  type JsonPath,
  removeValue,
  setValue,
  swapItems,
  type TextEdit,
} from '@/components/kit/diff/json-edit.ts'
import {
  chooseOrder,
  getMember,
  isSame,
  type Maybe,
  mergedOrder,
  type Rules,
  rulesIn,
} from '@/components/kit/diff/merge-values.ts'

export const PLACE_STEP = ' › '

export type Side = 'mine' | 'theirs'

/** Undefined: removed, or never present. */
export interface Conflict {
  /** Names of fields and ids of rules from the top; a stable key for the user's choice. */
  readonly place: string
  readonly base: Maybe
  readonly mine: Maybe
  readonly theirs: Maybe
}

export interface Merge {
  /** Merged text; conflicts without a choice have my value. */
  readonly text: string
  readonly conflicts: readonly Conflict[]
  readonly taken: readonly string[]
}

export interface Texts {
  readonly base: string
  readonly mine: string
  readonly theirs: string
}

export type Choices = ReadonlyMap<string, Side>

/** Null: the texts cannot be merged by field. One is no JSON object, or parsing it would lose data. */
export function mergeTexts(texts: Texts, choices: Choices = new Map()): Merge | null {
  const { base, mine, theirs } = texts
  if (mine === theirs || theirs === base) return { text: mine, conflicts: [], taken: [] }
  if (mine === base) return { text: theirs, conflicts: [], taken: ['the whole text'] }
  const [before, own, other] = [base, mine, theirs].map(readExactly)
  if (!before || !own || !other) return null
  const merge = new Merging(mine, choices)
  merge.objects({ path: [], place: '' }, { base: before, mine: own, theirs: other })
  return { text: merge.text, conflicts: merge.conflicts, taken: merge.taken }
}

/** Null: JSON.parse would lose something, such as a duplicate field or digits beyond the precision of a number. */
function readExactly(text: string): JsonObject | null {
  try {
    const value: JsonValue = JSON.parse(text)
    const tree = parseTree(text)
    const isExact = tree !== undefined && isKept(tree, text)
    return isExact && isJsonObject(value) ? value : null
  } catch {
    // Null makes the whole text one conflict.
    return null
  }
}

function isKept(node: Node, text: string): boolean {
  const { children = [], type, offset, length } = node
  if (type === 'number' && !/^-?\d{1,15}(\.\d{1,6})?$/.test(text.slice(offset, offset + length))) {
    return false
  }
  const names = children.map((child) => child.children?.[0]?.value)
  if (type === 'object' && new Set(names).size < names.length) return false
  return children.every((child) => isKept(child, text))
}

interface Spot {
  /** Path in my text. */
  readonly path: JsonPath
  readonly place: string
}

interface Three<T> {
  readonly base: T
  readonly mine: T
  readonly theirs: T
}

const NO_RULES: Rules = new Map()

class Merging {
  text: string
  readonly conflicts: Conflict[] = []
  readonly taken: string[] = []
  readonly #choices: Choices

  constructor(text: string, choices: Choices) {
    this.text = text
    this.#choices = choices
  }

  objects(spot: Spot, { base, mine, theirs }: Three<JsonObject>): void {
    const names = new Set([...Object.keys(mine), ...Object.keys(theirs), ...Object.keys(base)])
    for (const name of names) {
      const values = {
        base: getMember(base, name),
        mine: getMember(mine, name),
        theirs: getMember(theirs, name),
      }
      this.#value(inside(spot, name, name), values)
    }
  }

  #value(spot: Spot, values: Three<Maybe>): void {
    const { base, mine, theirs } = values
    if (isSame(mine, theirs) || isSame(base, theirs)) return
    const rules = readThreeRules(values)
    if (rules !== null) {
      this.#lists(spot, rules)
      return
    }
    const objects = toObjects(values)
    if (objects !== null) {
      this.objects(spot, objects)
      return
    }
    if (this.#isTheirs(spot.place, values)) this.#write(spot.path, theirs)
  }

  /** A conflict without a choice keeps my value. */
  #isTheirs(place: string, { base, mine, theirs }: Three<Maybe>): boolean {
    if (isSame(mine, theirs) || isSame(base, theirs)) return false
    if (!isSame(base, mine)) {
      this.conflicts.push({ place, base, mine, theirs })
      return this.#choices.get(place) === 'theirs'
    }
    this.taken.push(place)
    return true
  }

  #lists(spot: Spot, { base, mine, theirs }: Three<Rules>): void {
    const kept = new Set<string>()
    for (const id of new Set([...mine.keys(), ...theirs.keys()])) {
      if (this.#rule(spot, id, { base, mine, theirs })) kept.add(id)
    }
    const target = mergedOrder(kept, this.#ordered(spot, { base, mine, theirs }))
    const before = [...mine.keys()]
    for (const [at, id] of [...before.entries()].reverse()) {
      if (!kept.has(id)) this.#edit(removeValue(this.text, [...spot.path, at]))
    }
    this.#arrange(spot.path, { ids: before.filter((id) => kept.has(id)), target, theirs })
  }

  /** Returns true if the merged list contains the rule. Merges the rule's content as a side effect. */
  #rule(spot: Spot, id: string, { base, mine, theirs }: Three<Rules>): boolean {
    const values = { base: base.get(id), mine: mine.get(id), theirs: theirs.get(id) }
    const place = inside(spot, [...mine.keys()].indexOf(id), id)
    if (values.mine !== undefined && values.theirs !== undefined) {
      this.#value(place, values)
      return true
    }
    const isTheirs = this.#isTheirs(place.place, values)
    return (isTheirs ? values.theirs : values.mine) !== undefined
  }

  #ordered(spot: Spot, rules: Three<Rules>): { readonly first: Rules; readonly second: Rules } {
    const { base, mine, theirs } = rules
    const place = `${spot.place}${PLACE_STEP}order`
    const own = { first: mine, second: theirs }
    const other = { first: theirs, second: mine }
    const owner = chooseOrder(base, mine, theirs)
    if (owner === 'mine') return own
    if (owner === 'theirs') {
      this.taken.push(place)
      return other
    }
    const [before, now, then] = [[...base.keys()], [...mine.keys()], [...theirs.keys()]]
    this.conflicts.push({ place, base: before, mine: now, theirs: then })
    return this.#choices.get(place) === 'theirs' ? other : own
  }

  #arrange(
    path: JsonPath,
    list: {
      readonly ids: readonly string[]
      readonly target: readonly string[]
      readonly theirs: Rules
    },
  ): void {
    const ids = [...list.ids]
    for (const [at, id] of list.target.entries()) {
      const from = ids.indexOf(id)
      if (from === -1) {
        const value = list.theirs.get(id) ?? {}
        this.#edit(insertItem(this.text, path, { index: at, value }))
        ids.splice(at, 0, id)
      }
      for (let n = from; n > at; n--) {
        this.#edit(swapItems(this.text, path, n - 1))
        ids.splice(n - 1, 2, id, ids[n - 1] ?? id)
      }
    }
  }

  #write(path: JsonPath, value: Maybe): void {
    this.#edit(
      value === undefined ? removeValue(this.text, path) : setValue(this.text, path, value),
    )
  }

  #edit(edit: TextEdit | null): void {
    // Every path was read from this text; skipping an edit would lose a change.
    if (edit === null) throw new Error('A merge lost its place in the text.')
    this.text = applyEdit(this.text, edit)
  }
}

function inside({ path, place }: Spot, step: string | number, name: string): Spot {
  return { path: [...path, step], place: place === '' ? name : `${place}${PLACE_STEP}${name}` }
}

/** Reads three lists of rules; a list missing in the base counts as empty. */
function readThreeRules({ base, mine, theirs }: Three<Maybe>): Three<Rules> | null {
  const [own, other] = [rulesIn(mine), rulesIn(theirs)]
  const before = base === undefined ? NO_RULES : rulesIn(base)
  return own !== null && other !== null && before !== null
    ? { base: before, mine: own, theirs: other }
    : null
}

/** Two added objects are merged as well, unless they are rules: two added rules with one id are different rules. */
function toObjects({ base, mine, theirs }: Three<Maybe>): Three<JsonObject> | null {
  if (mine === undefined || theirs === undefined) return null
  if (!isJsonObject(mine) || !isJsonObject(theirs)) return null
  if (base !== undefined) return isJsonObject(base) ? { base, mine, theirs } : null
  return 'id' in mine || 'id' in theirs ? null : { base: {}, mine, theirs }
}
