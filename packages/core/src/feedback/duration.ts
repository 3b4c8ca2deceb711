// Durations as the agent reads them: seconds, minutes, then hours with one decimal (semantics of the Deadline provider).

/** `seconds` ≥ 0. Truncated below the hour: 119.9 s is `1 minute`. */
export function durationText(seconds: number): string {
  const whole = Math.trunc(seconds)
  if (whole < 60) return `${whole} seconds`
  if (whole < 3600) {
    const minutes = Math.trunc(whole / 60)
    return minutes === 1 ? '1 minute' : `${minutes} minutes`
  }
  return `${(whole / 3600).toFixed(1)} hours`
}
