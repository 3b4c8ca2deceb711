// Columns that a user chose per list, stored in cookies, which the server reads for its first paint.

export const COOKIE_PREFIX = 'sb_columns_'

/** Names of the chosen columns, by name of the list. */
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
