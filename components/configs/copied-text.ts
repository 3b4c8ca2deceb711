// Only `ns` and `key` change, everything else stays as typed.
import { applyEdit, setValue } from '@/components/kit/diff/json-edit.ts'

export function renamedText(
  text: string,
  { ns, key }: { readonly ns: string; readonly key: string },
): string {
  const named = (before: string, name: string, value: string) => {
    const edit = setValue(before, [name], value)
    // A text that is not a JSON object is copied unchanged; the editor reports its problems.
    return edit === null ? before : applyEdit(before, edit)
  }
  return named(named(text, 'ns', ns), 'key', key)
}
