// Rules are matched by id. Places are pointers into the newer document, for removals into the older one.
import { isJsonObject, type JsonObject, type JsonValue, pointerTo } from '@signalbox/core'
import { isSame, rulesIn } from './merge-values.ts'

export type MinimalChange =
  | { readonly op: 'add'; readonly path: string; readonly value: JsonValue }
  | { readonly op: 'remove'; readonly path: string; readonly was: JsonValue }
  | {
      readonly op: 'replace'
      readonly path: string
      readonly was: JsonValue
      readonly value: JsonValue
    }
  | { readonly op: 'order'; readonly path: string; readonly value: readonly string[] }

export function minimalChanges(before: JsonObject, after: JsonObject): readonly MinimalChange[] {
  return changed({ old: before, now: after, was: '', path: '' })
}

interface Pair {
  readonly old: JsonValue
  readonly now: JsonValue
  /** Pointer into the older document. */
  readonly was: string
  /** Pointer into the newer document. */
  readonly path: string
}

function changed(pair: Pair): readonly MinimalChange[] {
  const { old, now, path } = pair
  if (isSame(old, now)) return []
  if (isJsonObject(old) && isJsonObject(now)) return fields(pair, old, now)
  if (rulesIn(old) !== null && rulesIn(now) !== null) return rules(pair)
  return [{ op: 'replace', path, was: old, value: now }]
}

function fields({ was, path }: Pair, old: JsonObject, now: JsonObject): readonly MinimalChange[] {
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])]
  return names.flatMap((name) =>
    member({
      old: old[name],
      now: now[name],
      was: pointerTo(was, name),
      path: pointerTo(path, name),
    }),
  )
}

interface Member extends Omit<Pair, 'old' | 'now'> {
  readonly old: JsonValue | undefined
  readonly now: JsonValue | undefined
}

function member({ old, now, was, path }: Member): readonly MinimalChange[] {
  if (old !== undefined && now !== undefined) return changed({ old, now, was, path })
  if (now !== undefined) return [{ op: 'add', path, value: now }]
  return old === undefined ? [] : [{ op: 'remove', path: was, was: old }]
}

function rules({ old, now, was, path }: Pair): readonly MinimalChange[] {
  const [before, after] = [rulesIn(old) ?? new Map(), rulesIn(now) ?? new Map()]
  const [oldIds, ids] = [[...before.keys()], [...after.keys()]]
  const found = [...new Set([...oldIds, ...ids])].flatMap((id) =>
    member({
      old: before.get(id),
      now: after.get(id),
      was: pointerTo(was, oldIds.indexOf(id)),
      path: pointerTo(path, ids.indexOf(id)),
    }),
  )
  const [kept, order] = [oldIds.filter((id) => after.has(id)), ids.filter((id) => before.has(id))]
  const isMoved = kept.join('\n') !== order.join('\n')
  return isMoved ? [...found, { op: 'order', path, value: ids }] : found
}
