function isRecord(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isAbsentMark(value: unknown): boolean {
  return isRecord(value) && value['$absent'] === true
}

function shown(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value)
}

/**
 * Differences of `actual` from `expected`; empty: none. Objects match by the keys in `expected`, `{"$absent": true}` matches an absent
 * value, and lists match as a whole.
 */
export function differences(expected: unknown, actual: unknown, place = ''): readonly string[] {
  if (isAbsentMark(expected)) {
    return actual === undefined ? [] : [`${place}: expected nothing, got ${shown(actual)}`]
  }
  if (Array.isArray(expected) && Array.isArray(actual) && expected.length === actual.length) {
    return expected.flatMap((item, i) => differences(item, actual[i], `${place}/${i}`))
  }
  if (isRecord(expected) && isRecord(actual)) {
    return Object.entries(expected).flatMap(([key, value]) =>
      differences(value, Object.hasOwn(actual, key) ? actual[key] : undefined, `${place}/${key}`),
    )
  }
  if (!(Array.isArray(expected) || isRecord(expected)) && Object.is(expected, actual)) return []
  return [`${place}: expected ${shown(expected)}, got ${shown(actual)}`]
}

/** Like `differences`, but also rejects fields that are missing in `expected`. */
export function exactDifferences(expected: unknown, actual: unknown): readonly string[] {
  const found = [...differences(expected, actual), ...differences(actual, expected)]
  return found.slice(0, 1)
}
