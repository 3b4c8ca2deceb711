/** Period of the releases and figures. */
export const DAY_MS = 86_400_000
export const MOST_RELEASES = 6
