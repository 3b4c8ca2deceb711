/** The answer that each release must have. */
export const EXPECTED = {
  never: 'No run may do it',
  possible: 'Some run must be able to',
} as const
