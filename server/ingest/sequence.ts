export interface Gap {
  readonly from: number
  readonly to: number
}

/** Most gaps in one answer for one session; the sender fills these first and then learns the next ones. */
const MOST_GAPS = 100

/** `above`: stored sequence numbers larger than `contiguous`, ascending. Returns the new end of the prefix. */
export function advance(contiguous: number, above: readonly number[]): number {
  let end = contiguous
  for (const seq of above) {
    if (seq !== end + 1) break
    end = seq
  }
  return end
}

/** `above` as in `advance`. Returns the missing ranges between the prefix and the highest stored event. */
export function gapsAfter(contiguous: number, above: readonly number[]): readonly Gap[] {
  const gaps: Gap[] = []
  let expected = contiguous + 1
  for (const seq of above) {
    if (gaps.length === MOST_GAPS) break
    if (seq > expected) gaps.push({ from: expected, to: seq - 1 })
    if (seq >= expected) expected = seq + 1
  }
  return gaps
}
