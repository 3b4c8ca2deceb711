// @ts-check
// Samples: `npm test` uses a fixed part, and a soak uses everything.

/** True for `npm run soak -- --tests`. */
export const IS_SOAK = process.env['SOAK'] === '1'

/**
 * Every `step`th of `all`, beginning with the first; all of them in a soak.
 * @template T @param {readonly T[]} all @param {number} step @returns {readonly T[]}
 */
export const selectSample = (all, step) => all.filter((_, index) => IS_SOAK || index % step === 0)
