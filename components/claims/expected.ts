/** What each release must answer. */
export const EXPECTED = {
  never: 'No run may do it',
  possible: 'Some run must be able to',
} as const
