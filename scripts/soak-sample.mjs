// @ts-check
// Samples: `npm test` uses a fixed part; a soak uses everything.

/** True in `npm run soak -- --tests`. */
export const IS_SOAK = process.env['SOAK'] === '1'

/**
 * Returns every `step`th of `all`, beginning with the one at `first`; in a soak, all of them.
 * @template T
 * @param {readonly T[]} all
 * @param {number} step
 * @param {number} [first] below `step`; absent: 0
 * @returns {readonly T[]}
 */
export const selectSample = (all, step, first = 0) =>
  all.filter((_, index) => IS_SOAK || index % step === first)
