import { SEMANTICS } from '../../model/semantics.ts'

/** `seconds` ≥ 0. Truncates below one hour: 119.9 s is `1 minute`. Rounds hours; ties go to the even digit, under semantics 1 up. */
export function durationText(seconds: number, semantics: number = SEMANTICS): string {
  const whole = Math.trunc(seconds)
  if (whole < 60) return `${whole} seconds`
  if (whole < 3600) {
    const minutes = Math.trunc(whole / 60)
    return minutes === 1 ? '1 minute' : `${minutes} minutes`
  }
  // Among the ties, such as 1.05 hours, only quarters are exact in binary: toFixed rounds them up, and all others by their true value.
  const isTie = whole % 1800 === 900
  const down = Math.trunc(whole / 360)
  const tenths = isTie && semantics >= 2 && down % 2 === 0 ? down / 10 : whole / 3600
  return `${tenths.toFixed(1)} hours`
}
