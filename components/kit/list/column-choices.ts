// Stored in cookies, which the server reads for its first paint.

export const COOKIE_PREFIX = 'sb_columns_'

export type ColumnChoices = Readonly<Record<string, readonly string[]>>

/** `cookies`: all cookies of the request. */
export function columnChoices(
  cookies: readonly { readonly name: string; readonly value: string }[],
): ColumnChoices {
  return Object.fromEntries(
    cookies.flatMap(({ name, value }) =>
      name.startsWith(COOKIE_PREFIX)
        ? [[name.slice(COOKIE_PREFIX.length), value.split(',')] as const]
        : [],
    ),
  )
}
