// Every other character stays as typed.
import type { JsonValue } from '@signalbox/core'
import { applyEdit, insertItem } from '@/components/kit/diff/json-edit.ts'

function freeRuleId(text: string): string {
  for (let n = 1; ; n++) {
    const id = n === 1 ? 'secrets' : `secrets-${n}`
    if (!text.includes(`"${id}"`)) return id
  }
}

/** Null: the text is no JSON object to add to. */
export function withRule(text: string, keys: readonly string[]): string | null {
  const value: JsonValue = { id: freeRuleId(text), keys: [...keys] }
  const edit = insertItem(text, ['redaction'], { index: Number.MAX_SAFE_INTEGER, value })
  return edit === null ? null : applyEdit(text, edit)
}
