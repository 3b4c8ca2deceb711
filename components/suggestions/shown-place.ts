// Also used by the server, which prefetches the page's first data.
import { shownEnvironment } from '@/components/paths/live-in.ts'
import type { ConfigDetail } from '@/server/configs/configs.ts'
import type { LearnPlace } from '@/server/suggestions/learn-runs.sql.ts'

/**
 * The requested environment, else the one with the most good sessions, else the last of the chain that serves a version, else the first;
 * null: the project has none.
 */
export function findShownPlace(
  config: ConfigDetail,
  chain: readonly string[],
  asked: string | null,
): LearnPlace | null {
  const { ns, key } = config
  const environment =
    chain.find((name) => name === asked) ?? shownEnvironment(config, chain, null) ?? chain[0]
  return environment === undefined ? null : { ns, key, environment }
}
