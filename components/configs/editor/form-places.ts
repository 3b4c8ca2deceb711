// Places in the form by JSON pointer: every field carries the pointer of its value, every card that of its rule.

function elementFor(pointer: string): HTMLElement | null {
  for (let at = pointer; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
    const field = document.querySelector<HTMLElement>(`[data-pointer=${JSON.stringify(at)}]`)
    const found = field ?? document.getElementById(`form${at}`)
    if (found !== null) return found
  }
  return null
}

export function revealInForm(pointer: string, focus: boolean): void {
  const found = elementFor(pointer)
  // A field in a closed part is invisible and cannot take the focus.
  found?.closest('details')?.setAttribute('open', '')
  found?.scrollIntoView({ block: 'nearest' })
  if (!focus) return
  const field = found?.matches('input, textarea, select, button')
    ? found
    : found?.querySelector<HTMLElement>('input, textarea, button')
  field?.focus()
}

export function focusFirstField(pointer: string): void {
  const body = document.getElementById(`form${pointer}`)?.querySelector('[data-fields]')
  const field = body?.querySelector<HTMLElement>('input, textarea, select, button')
  field?.focus()
}

/** Null: the focus is outside the form. */
export function focusedPointer(): string | null {
  const { activeElement: active } = document
  const field = active?.closest<HTMLElement>('[data-pointer]')
  if (field !== null && field !== undefined) return field.dataset['pointer'] ?? null
  return active?.closest('fieldset[id^="form/"]')?.id.slice('form'.length) ?? null
}
