// Also used by the server, which prefetches the page's first data.
import type { ConfigDetail } from '@/server/configs/configs.ts'

export interface Pointers {
  readonly pointers: readonly Pick<ConfigDetail['pointers'][number], 'environment' | 'version'>[]
}

/** Null: none is live. */
export function liveIn(config: Pointers, environment: string): number | null {
  return config.pointers.find((pointer) => pointer.environment === environment)?.version ?? null
}

/**
 * Environment whose rules are shown: the requested one, else the last of the chain if it serves a version, else the one with the newest
 * release; null: none serves a version.
 */
export function shownEnvironment(
  config: Pick<ConfigDetail, 'pointers'>,
  chain: readonly string[],
  asked: string | null,
): string | null {
  const released = chain.filter((name) => liveIn(config, name) !== null)
  const wanted = [asked, chain.at(-1)].find((name) => released.some((each) => each === name))
  if (wanted !== undefined) return wanted
  const [newest] = config.pointers
    .filter(({ environment }) => released.includes(environment))
    .toSorted((a, b) => b.releasedAt - a.releasedAt)
  return newest?.environment ?? null
}
