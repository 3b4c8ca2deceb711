// Prints a new value in the style of the surrounding text: indentation, line breaks, short lists on one line.
import { isJsonObject, type JsonValue } from '@signalbox/core'

export interface Layout {
  readonly indent: string
  readonly unit: string
}

const LINE_LENGTH = 100

export function detectLayout(text: string, offset: number): Layout {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1
  const indent = /^[ \t]*/.exec(text.slice(lineStart, offset))?.[0] ?? ''
  const unit = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  '
  return { indent, unit }
}

function printOneLine(value: JsonValue): string {
  if (Array.isArray(value)) {
    const items: readonly JsonValue[] = value
    return `[${items.map(printOneLine).join(', ')}]`
  }
  if (isJsonObject(value)) {
    const members = Object.entries(value).map(
      ([key, member]) => `${JSON.stringify(key)}: ${printOneLine(member)}`,
    )
    return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
  }
  return JSON.stringify(value)
}

function isFlat(value: JsonValue): boolean {
  return Array.isArray(value) && value.every((item) => typeof item !== 'object' || item === null)
}

export function printJson(value: JsonValue, layout: Layout, isOneLine: boolean): string {
  const line = printOneLine(value)
  if (isOneLine || line === '{}' || line === '[]') return line
  if (isFlat(value) && layout.indent.length + line.length <= LINE_LENGTH) return line
  const inner = { ...layout, indent: layout.indent + layout.unit }
  const block = (open: string, members: readonly string[], close: string) =>
    `${open}\n${members.map((member) => inner.indent + member).join(',\n')}\n${layout.indent}${close}`
  if (Array.isArray(value)) {
    const items: readonly JsonValue[] = value
    return block(
      '[',
      items.map((item) => printJson(item, inner, false)),
      ']',
    )
  }
  if (!isJsonObject(value)) return line
  const members = Object.entries(value).map(
    ([key, member]) => `${JSON.stringify(key)}: ${printJson(member, inner, false)}`,
  )
  return block('{', members, '}')
}
