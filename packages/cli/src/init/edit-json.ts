// Changes nothing but the added or removed value.
import type { JsonValue } from '@signalbox/core'
import jsonc, { type Node } from 'jsonc-parser'

export type Steps = readonly (string | number)[]

/** Adds a member at the end of the object at `steps`, which must exist without that member. */
export function addMember(
  text: string,
  steps: Steps,
  [name, value]: readonly [name: string, value: JsonValue],
): string {
  return added(
    text,
    steps,
    (indent, unit) => `${JSON.stringify(name)}: ${pretty(value, indent, unit)}`,
  )
}

/** Adds an item at the end of the list at `steps`, which must exist. */
export function addItem(text: string, steps: Steps, value: JsonValue): string {
  return added(text, steps, (indent, unit) => pretty(value, indent, unit))
}

/** Removes the member or item at `steps`, which must exist, with its comma. */
export function remove(text: string, steps: Steps): string {
  const found = nodeAt(text, steps)
  const child = found.parent?.type === 'property' ? found.parent : found
  const end = child.offset + child.length
  const before = text.slice(0, child.offset).trimEnd().length
  const siblings = child.parent?.children ?? []
  const index = siblings.indexOf(child)
  const next = siblings[index + 1]
  const closing = (child.parent?.offset ?? 0) + (child.parent?.length ?? text.length)
  const after = commaIn(text, end, next?.offset ?? closing)
  if (after !== null) return text.slice(0, before) + text.slice(end, after) + text.slice(after + 1)
  const previous = siblings[index - 1]
  const comma =
    previous === undefined ? null : commaIn(text, previous.offset + previous.length, child.offset)
  if (comma !== null)
    return (
      text.slice(0, comma) + text.slice(comma + 1, Math.max(before, comma + 1)) + text.slice(end)
    )
  // The removed entry was the only one, so the empty container stays on one line.
  const rest = text.slice(end)
  return text.slice(0, before) + (/^\s*[\]}]/.test(rest) ? rest.trimStart() : rest)
}

function added(
  text: string,
  steps: Steps,
  write: (indent: string, unit: string) => string,
): string {
  const node = nodeAt(text, steps)
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const unit = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  '
  const indent = unit.repeat(countAncestors(node) + 1)
  const entry = `${eol}${indent}${write(indent, unit).replaceAll('\n', eol)}`
  const last = node.children?.at(-1)
  if (last === undefined) {
    const close = node.offset + node.length - 1
    const inner = text.slice(node.offset + 1, close).trimEnd()
    const open = text.slice(0, node.offset + 1) + inner
    return `${open}${entry}${eol}${unit.repeat(countAncestors(node))}${text.slice(close)}`
  }
  const end = last.offset + last.length
  const isOnOneLine = !text.slice(node.offset, node.offset + node.length).includes('\n')
  const tail = isOnOneLine ? `${eol}${unit.repeat(countAncestors(node))}` : ''
  const rest = text.slice(end)
  return `${text.slice(0, end)},${entry}${tail}${isOnOneLine ? rest.trimStart() : rest}`
}

function pretty(value: JsonValue, indent: string, unit: string): string {
  return JSON.stringify(value, null, unit).replaceAll('\n', `\n${indent}`)
}

function countAncestors(node: Node): number {
  let depth = 0
  for (let up = node.parent; up !== undefined; up = up.parent)
    if (up.type !== 'property') depth += 1
  return depth
}

function nodeAt(text: string, steps: Steps): Node {
  const root = jsonc.parseTree(text, [], { allowTrailingComma: true })
  const node = root === undefined ? undefined : jsonc.findNodeAtLocation(root, [...steps])
  if (node === undefined) throw new RangeError(`There is no value at ${JSON.stringify(steps)}.`)
  return node
}

/** Offset of the comma between two offsets, ignoring comments; null: there is none. */
function commaIn(text: string, from: number, to: number): number | null {
  const scanner = jsonc.createScanner(text, true)
  scanner.setPosition(from)
  for (;;) {
    scanner.scan()
    const at = scanner.getTokenOffset()
    // The end of the text has an offset, too, so the loop ends.
    if (at >= to) return null
    if (text[at] === ',') return at
  }
}
