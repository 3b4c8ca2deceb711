// Also used by the server, which prefetches the page's first data.
import type { ConfigDetail } from '@/server/configs/configs.ts'

/** Null: none is live. */
export function liveIn(config: ConfigDetail, environment: string): number | null {
  return config.pointers.find((pointer) => pointer.environment === environment)?.version ?? null
}

/** Environment whose rules are shown: the requested one, else the last of the chain that serves a version; null: none does. */
export function shownEnvironment(
  config: ConfigDetail,
  chain: readonly string[],
  asked: string | null,
): string | null {
  const released = chain.filter((name) => liveIn(config, name) !== null)
  return released.find((name) => name === asked) ?? released.at(-1) ?? null
}
