/** Returns the names of the migrations that it applied. */
export function migrate(options: {
  readonly url: string
  readonly folder: string
  /** Time to wait while another process migrates, milliseconds. Absent: one minute. */
  readonly lockWithinMs?: number
}): Promise<readonly string[]>
