// Text as CEL wants it where JavaScript differs: ordered by code point, and numbers in no other form than a number's.

/** Format accepted by `int()` and `uint()`. JavaScript would also take an empty text, spaces and `0x10`. */
export const INTEGER_FORM = /^[+-]?\d{1,20}$/

/** Format accepted by `double()`. */
export const DECIMAL_FORM =
  /^(?:[+-]?(?:\d{1,400}(?:\.\d{0,400})?|\.\d{1,400})(?:[eE][+-]?\d{1,5})?|[+-]?Infinity|NaN)$/

/** Below zero, zero or above it, by code points: JavaScript alone would put U+10000 before U+FFFF. */
export function compareText(left: string, right: string): number {
  const length = Math.min(left.length, right.length)
  for (let i = 0; i < length; i += 1) {
    const a = left.charCodeAt(i)
    const b = right.charCodeAt(i)
    if (a !== b) return rankCodeUnit(a) - rankCodeUnit(b)
  }
  return left.length - right.length
}

/** Surrogates represent code points above all single code units. */
function rankCodeUnit(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}
