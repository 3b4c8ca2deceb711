// Every other character stays as typed: key order, spaces, line breaks. Each edit is one replacement, so one undo reverts it completely.

import type { JsonValue } from '@signalbox/core'
import {
  findNodeAtLocation,
  findNodeAtOffset,
  getNodePath,
  type JSONPath,
  type Node,
  parseTree,
} from 'jsonc-parser'
import { detectLayout, type Layout, printJson } from './json-print.ts'

export type JsonPath = readonly (string | number)[]

export interface TextEdit {
  readonly from: number
  readonly to: number
  readonly insert: string
}

export function applyEdit(text: string, edit: TextEdit): string {
  return text.slice(0, edit.from) + edit.insert + text.slice(edit.to)
}

/** Null: the text is not JSON. Such a text is never edited. */
function parseRoot(text: string): Node | null {
  const errors: { readonly error: number }[] = []
  // The parser's type for errors is a mutable array of a wider record; only the number of errors is used.
  const root = parseTree(text, errors as never, { disallowComments: true })
  return errors.length > 0 || root === undefined ? null : root
}

function nodeAt(root: Node, path: JsonPath): Node | null {
  // jsonc-parser's type requires a mutable array, but it only reads it.
  return findNodeAtLocation(root, path as JSONPath) ?? null
}

/** Range of the value at `path` in the text. */
export function rangeAt(text: string, path: JsonPath): { from: number; to: number } | null {
  const root = parseTree(text)
  const node = root === undefined ? null : nodeAt(root, path)
  return node === null ? null : { from: node.offset, to: node.offset + node.length }
}

/** Path of the innermost value around the offset; empty: outside of all values. */
export function pathAtOffset(text: string, offset: number): JsonPath {
  const root = parseTree(text)
  const node = root === undefined ? undefined : findNodeAtOffset(root, offset, true)
  return node === undefined ? [] : getNodePath(node)
}

/** Steps of a JSON pointer. Steps into an array of the text become numbers. */
export function parsePointer(pointer: string, text: string): JsonPath {
  const steps = pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  let node = parseTree(text) ?? null
  return steps.map((step) => {
    const path = node?.type === 'array' ? Number(step) : step
    node = node === null ? null : nodeAt(node, [path])
    return path
  })
}

const end = (node: Node): number => node.offset + node.length

function listChildNodes(container: Node): readonly Node[] {
  return container.children ?? []
}

/** Replaces the value, or adds it as the last property. Creates missing objects along the path. */
export function setValue(text: string, path: JsonPath, value: JsonValue): TextEdit | null {
  const root = parseRoot(text)
  if (root === null) return null
  const existing = nodeAt(root, path)
  if (existing !== null) {
    const isInline = existing.type !== 'object' && existing.type !== 'array'
    const layout = detectLayout(text, existing.offset)
    const isOneLine = isInline || !text.slice(existing.offset, end(existing)).includes('\n')
    return { from: existing.offset, to: end(existing), insert: printJson(value, layout, isOneLine) }
  }
  const { parent, missing } = nearest(root, path)
  const [key, ...below] = missing
  if (parent?.type !== 'object' || typeof key !== 'string') return null
  const wrapped = below.reduceRight<JsonValue>((inner, step) => ({ [String(step)]: inner }), value)
  return insertChild(
    { text, container: parent, index: listChildNodes(parent).length },
    wrapped,
    key,
  )
}

function nearest(root: Node, path: JsonPath): { parent: Node | null; missing: JsonPath } {
  for (let depth = path.length - 1; depth >= 0; depth--) {
    const parent = nodeAt(root, path.slice(0, depth))
    if (parent !== null) return { parent, missing: path.slice(depth) }
  }
  return { parent: null, missing: path }
}

interface Place {
  readonly text: string
  readonly container: Node
  readonly index: number
}

function insertChild(place: Place, value: JsonValue, key?: string): TextEdit {
  const { text, container, index } = place
  const label = key === undefined ? '' : `${JSON.stringify(key)}: `
  const children = listChildNodes(container)
  const first = children[0]
  if (first === undefined) return fillEmpty(place, value, label)
  const isOneLine = !text.slice(container.offset, first.offset).includes('\n')
  const layout: Layout = detectLayout(text, first.offset)
  const child = label + printJson(value, layout, isOneLine)
  const gap = isOneLine ? ' ' : `\n${layout.indent}`
  const next = children[index]
  if (next !== undefined) return { from: next.offset, to: next.offset, insert: `${child},${gap}` }
  const last = children.at(-1) ?? first
  return { from: end(last), to: end(last), insert: `,${gap}${child}` }
}

function fillEmpty({ text, container }: Place, value: JsonValue, label: string): TextEdit {
  const outer = detectLayout(text, container.offset)
  const range = { from: container.offset + 1, to: end(container) - 1 }
  const isScalar = typeof value !== 'object' || value === null
  if (container.type === 'array' && isScalar) {
    return { ...range, insert: label + printJson(value, outer, true) }
  }
  const inner = { ...outer, indent: outer.indent + outer.unit }
  const child = label + printJson(value, inner, false)
  return { ...range, insert: `\n${inner.indent}${child}\n${outer.indent}` }
}

/** Inserts an item before `index` of the array at `path`, or at its end if the index is past it. Creates a missing array. */
export function insertItem(text: string, path: JsonPath, item: JsonItem): TextEdit | null {
  const root = parseRoot(text)
  if (root === null) return null
  const container = nodeAt(root, path)
  if (container === null) return setValue(text, path, [item.value])
  if (container.type !== 'array') return null
  return insertChild({ text, container, index: item.index }, item.value)
}

export interface JsonItem {
  readonly index: number
  readonly value: JsonValue
}

/** Removes the property or item, with its comma and line. */
export function removeValue(text: string, path: JsonPath): TextEdit | null {
  const root = parseRoot(text)
  const node = root === null ? null : nodeAt(root, path)
  if (node === null || node.parent === undefined) return null
  const child = node.parent.type === 'property' ? node.parent : node
  const container = child.parent
  if (container === undefined) return null
  const children = listChildNodes(container)
  const index = children.indexOf(child)
  const [previous, next] = [children[index - 1], children[index + 1]]
  if (previous !== undefined) return { from: end(previous), to: end(child), insert: '' }
  if (next !== undefined) return { from: child.offset, to: next.offset, insert: '' }
  return { from: container.offset + 1, to: end(container) - 1, insert: '' }
}

/** Swaps an item with the next one; the text between them does not change. */
export function swapItems(text: string, path: JsonPath, first: number): TextEdit | null {
  const root = parseRoot(text)
  const container = root === null ? null : nodeAt(root, path)
  const [one, two] = listChildNodes(container ?? { type: 'null', offset: 0, length: 0 }).slice(
    first,
    first + 2,
  )
  if (container?.type !== 'array' || one === undefined || two === undefined) return null
  const between = text.slice(end(one), two.offset)
  const insert = text.slice(two.offset, end(two)) + between + text.slice(one.offset, end(one))
  return { from: one.offset, to: end(two), insert }
}

/** Null if the new name exists: one of the two values would be lost. */
export function renameKey(text: string, path: JsonPath, name: string): TextEdit | null {
  const root = parseRoot(text)
  const property = root === null ? undefined : nodeAt(root, path)?.parent
  const key = property?.type === 'property' ? property.children?.[0] : undefined
  if (root === null || key === undefined) return null
  if (nodeAt(root, [...path.slice(0, -1), name]) !== null) return null
  return { from: key.offset, to: end(key), insert: JSON.stringify(name) }
}
