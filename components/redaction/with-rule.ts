// Adds a redaction rule to the text of a draft; every other character stays as typed.
import type { JsonValue } from '@signalbox/core'
import { applyEdit, insertItem } from '@/components/kit/diff/json-edit.ts'

/** Unused id for a new rule of the text. */
function freeRuleId(text: string): string {
  for (let n = 1; ; n++) {
    const id = n === 1 ? 'secrets' : `secrets-${n}`
    if (!text.includes(`"${id}"`)) return id
  }
}

/** The draft's text with the rule at the end of `redaction`; null: the text is no JSON object to add to. */
export function withRule(text: string, keys: readonly string[]): string | null {
  const value: JsonValue = { id: freeRuleId(text), keys: [...keys] }
  const edit = insertItem(text, ['redaction'], { index: Number.MAX_SAFE_INTEGER, value })
  return edit === null ? null : applyEdit(text, edit)
}
