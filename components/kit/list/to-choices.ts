import { toLabel } from '@/components/ui/to-label.ts'

/** `words`: the label of each value; absent: the value as a word, such as "No checker" for `no_checker`. */
export function toChoices<Value extends string>(
  values: readonly Value[],
  words?: Readonly<Record<Value, string>>,
): readonly { readonly value: Value; readonly label: string }[] {
  return values.map((value) => ({ value, label: words?.[value] ?? toLabel(value) }))
}
