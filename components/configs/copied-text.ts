// The text of one config under the name of another: only `ns` and `key` change, everything else stays as it was typed.
import { applyEdit, setValue } from '@/components/kit/diff/json-edit.ts'

export function renamedText(
  text: string,
  { ns, key }: { readonly ns: string; readonly key: string },
): string {
  const named = (before: string, name: string, value: string) => {
    const edit = setValue(before, [name], value)
    // A text that is no JSON object is taken as it is; the editor says what is wrong.
    return edit === null ? before : applyEdit(before, edit)
  }
  return named(named(text, 'ns', ns), 'key', key)
}
