export interface Redaction {
  readonly pointer: string
  /** `redacted`, `truncated` or `removed`. */
  readonly kind: string
}

const MARK = /^\$(redacted|truncated|removed)$/

function findRedactionKind(value: object): string | null {
  for (const name of Object.keys(value)) {
    const match = MARK.exec(name)
    if (match !== null) return match[1] ?? null
  }
  return null
}

export function redactionsIn(value: unknown, pointer = ''): readonly Redaction[] {
  if (typeof value !== 'object' || value === null) return []
  const kind = Array.isArray(value) ? null : findRedactionKind(value)
  if (kind !== null) return [{ pointer, kind }]
  return Object.entries(value).flatMap(([name, inner]) =>
    redactionsIn(inner, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  )
}
