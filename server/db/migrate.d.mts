/** Names of the migrations that were applied now. */
export function migrate(options: {
  readonly url: string
  readonly folder: string
}): Promise<readonly string[]>
