/** Conditions that one request may check. */
export const MOST_CONDITIONS = 100
