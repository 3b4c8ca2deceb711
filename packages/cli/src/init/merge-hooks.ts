// Edits the text in place: everything else keeps its format, order and comments.
import { isJsonObject, type JsonObject, type JsonValue } from '@signalbox/core'
import jsonc, { type ParseError } from 'jsonc-parser'
import { Unusable } from '../base/io.ts'
import { addItem, addMember, remove, type Steps } from './edit-json.ts'

export interface HookSettings {
  readonly hooks: JsonObject
  /** True: an entry is ours, including entries of an earlier version. */
  readonly isOurs: (entry: JsonValue) => boolean
  readonly base: JsonObject
  readonly hasComments: boolean
}

/** `text` null: there is no file. Returns the same text when our hooks are already there. Throws Unusable with line and column. */
export function withHooks(text: string | null, file: string, settings: HookSettings): string {
  if (text === null || text.trim() === '')
    return `${JSON.stringify({ ...settings.base, hooks: settings.hooks }, null, 2)}\n`
  const root = parsed(text, file, settings)
  if (isThere(root, settings)) return text
  let edited = withoutHooks(text, file, settings)
  const left = parsed(edited, file, settings)
  if (left['hooks'] === undefined) return addMember(edited, [], ['hooks', settings.hooks])
  const kept = readHooks(left, file)
  for (const [event, entries] of Object.entries(settings.hooks)) {
    if (kept[event] === undefined) edited = addMember(edited, ['hooks'], [event, entries])
    else if (Array.isArray(entries))
      for (const entry of entries) edited = addItem(edited, ['hooks', event], entry)
  }
  return edited
}

/** Removes all our entries, and lists that become empty. */
export function withoutHooks(text: string, file: string, settings: HookSettings): string {
  let edited = text
  const hooks = readHooks(parsed(text, file, settings), file)
  for (const [event, entries] of Object.entries(hooks)) {
    for (const path of findOwnPaths(event, entries, settings)) edited = remove(edited, path)
  }
  if (edited === text) return text
  const left = readHooks(parsed(edited, file, settings), file)
  return Object.keys(left).length === 0 ? remove(edited, ['hooks']) : edited
}

/** From last to first, so that each path stays valid until its removal. A list with only our entries is removed as a whole. */
function findOwnPaths(
  event: string,
  entries: JsonValue,
  { isOurs }: HookSettings,
): readonly Steps[] {
  if (!Array.isArray(entries) || !entries.some(isOurs)) return []
  if (entries.every(isOurs)) return [['hooks', event]]
  const ours = [...entries.entries()].filter(([, entry]) => isOurs(entry))
  return ours.reverse().map(([index]) => ['hooks', event, index])
}

/** Our entries in the text, by event; empty: none, or there is no file. */
export function ourHooks(text: string | null, file: string, settings: HookSettings): JsonObject {
  if (text === null || text.trim() === '') return {}
  const hooks = Object.entries(readHooks(parsed(text, file, settings), file))
  return Object.fromEntries(
    hooks.flatMap(([event, entries]) => {
      const ours = Array.isArray(entries) ? entries.filter(settings.isOurs) : []
      return ours.length === 0 ? [] : [[event, ours] as const]
    }),
  )
}

function isThere(root: JsonObject, settings: HookSettings): boolean {
  const found = ourHooks(JSON.stringify(root), '', settings)
  return sorted(found) === sorted(settings.hooks)
}

function sorted(hooks: JsonObject): string {
  return JSON.stringify(Object.entries(hooks).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function readHooks(root: JsonObject, file: string): JsonObject {
  const hooks = root['hooks'] ?? {}
  if (!isJsonObject(hooks)) throw new Unusable(`${file}: "hooks" is not an object. Fix it first.`)
  for (const [event, entries] of Object.entries(hooks))
    if (!Array.isArray(entries))
      throw new Unusable(`${file}: "hooks.${event}" is not a list. Fix it first.`)
  return hooks
}

function parsed(text: string, file: string, { hasComments }: HookSettings): JsonObject {
  const errors: ParseError[] = []
  const value: unknown = jsonc.parse(text, errors, {
    disallowComments: !hasComments,
    allowTrailingComma: hasComments,
  })
  const [first] = errors
  if (first !== undefined)
    throw new Unusable(
      `${file}:${formatLineColumn(text, first.offset)}: this is not JSON (${jsonc.printParseErrorCode(first.error)}). Fix it first.`,
    )
  if (!isJsonObject(value))
    throw new Unusable(`${file}:1:1: this is not a JSON object. Fix it first.`)
  return value
}

/** Line and column, both from 1. */
function formatLineColumn(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n')
  return `${before.length}:${(before.at(-1) ?? '').length + 1}`
}
