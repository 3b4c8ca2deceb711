// @ts-check
// Samples: `npm test` uses a fixed part; a soak uses everything.

/** True in `npm run soak -- --tests`. */
export const IS_SOAK = process.env['SOAK'] === '1'

/**
 * Returns every `step`th of `all`, beginning with the first; in a soak, all of them.
 * @template T
 * @param {readonly T[]} all
 * @param {number} step
 * @returns {readonly T[]}
 */
export const selectSample = (all, step) => all.filter((_, index) => IS_SOAK || index % step === 0)
