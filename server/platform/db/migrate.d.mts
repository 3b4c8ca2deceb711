/** Names of the migrations that were applied now. */
export function migrate(options: {
  readonly url: string
  readonly folder: string
  /** How long to wait while another process migrates; a minute unless told. */
  readonly lockWithinMs?: number
}): Promise<readonly string[]>
