// Ignores text that looks like a mark but was in the payload before.
import { isJsonObject, type JsonValue } from '@signalbox/core'

export interface RedactionMark {
  /** JSON pointer; empty: the whole payload. */
  readonly pointer: string
  /** Id of the rule; null: no rule, the value was too long or too large. */
  readonly rule: string | null
  /** Size of the shortened value in bytes; null: the mark does not state it. */
  readonly bytes: number | null
}

interface Open {
  readonly before: JsonValue | undefined
  readonly after: JsonValue
  readonly pointer: string
}

const step = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')

function inner(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (Array.isArray(value)) return value[Number(name)]
  return value !== undefined && isJsonObject(value) && Object.hasOwn(value, name)
    ? value[name]
    : undefined
}

function parseRedactionMark(after: JsonValue, pointer: string): RedactionMark | null {
  const rule = inner(after, '$redacted')
  if (typeof rule === 'string') return { pointer, rule, bytes: null }
  const cut = inner(after, '$truncated')
  if (cut === undefined || Array.isArray(after)) return null
  const bytes = inner(cut, 'bytes')
  return { pointer, rule: null, bytes: typeof bytes === 'number' ? bytes : null }
}

/** In document order. */
export function redactionMarks(before: JsonValue, after: JsonValue): readonly RedactionMark[] {
  const marks: RedactionMark[] = []
  const open: Open[] = [{ before, after, pointer: '' }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { before: was, after: now, pointer } = next
    if (typeof now !== 'object' || now === null) continue
    const mark =
      JSON.stringify(was) === JSON.stringify(now) ? null : parseRedactionMark(now, pointer)
    if (mark !== null) marks.push(mark)
    if (mark?.rule === undefined || mark.rule === null) {
      const children = Object.entries(now).filter(([name]) => name !== '$truncated')
      open.push(
        ...children
          .map(([name, value]) => ({
            before: inner(was, name),
            after: value,
            pointer: `${pointer}/${step(name)}`,
          }))
          .toReversed(),
      )
    }
  }
  return marks
}
