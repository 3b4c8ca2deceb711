// Schedules the retry of a failed message (specs/leases.md).

const STEP_SECONDS = 60
const LONGEST_SECONDS = 900

/** Seconds until the next delivery after the `deliveryCount`-th failed. */
export function retryDelaySeconds(deliveryCount: number): number {
  return Math.min(STEP_SECONDS * deliveryCount, LONGEST_SECONDS)
}
