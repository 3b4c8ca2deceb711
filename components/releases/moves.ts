// In the address: `rollback:production:14`, or `…:previous` for the most recent version.
import { liveIn, type Pointers } from '@/components/paths/live-in.ts'
import type { ConfigDetail } from '@/server/configs/configs.ts'

/** `releases`: newest first. */
interface Past extends Pointers {
  readonly releases: readonly Pick<
    ConfigDetail['releases'][number],
    'environment' | 'version' | 'status' | 'successor'
  >[]
}

export interface Move {
  readonly kind: 'promote' | 'rollback'
  readonly environment: string
  readonly version: number
}

/** Versions that ran in the environment and differ from the live one: older versions, newest first, then newer ones, last those that were rolled back. */
export function rollbackTargets(config: Past, environment: string): readonly number[] {
  const live = liveIn(config, environment)
  const ran = config.releases
    .filter((release) => release.environment === environment)
    .map(({ version }) => version)
  const others = [...new Set(ran)].filter((version) => version !== live)
  const older = others.filter((version) => version < (live ?? 0)).sort((a, b) => b - a)
  const ordered = [...older, ...others.filter((version) => !older.includes(version))]
  const isLast = (version: number): boolean =>
    findRolledBack(config, { environment, version }) !== undefined
  return [...ordered.filter((version) => !isLast(version)), ...ordered.filter(isLast)]
}

/** Newest release of the version in the environment, if it was rolled back. */
export function findRolledBack(
  config: Past,
  { environment, version }: Pick<Move, 'environment' | 'version'>,
): Past['releases'][number] | undefined {
  const newest = config.releases.find(
    (release) => release.environment === environment && release.version === version,
  )
  return newest?.status === 'rolled_back' ? newest : undefined
}

export function moveText({ kind, environment, version }: Move): string {
  return `${kind}:${environment}:${version}`
}

export type AskedMove = Move | { readonly kind: 'nothing_before'; readonly environment: string }

/** Null: the text is no move. `nothing_before`: the environment never ran another version. */
export function parseMove(text: string | null, config: ConfigDetail): AskedMove | null {
  const match = /^(promote|rollback):([a-z0-9-]{1,40}):(\d{1,9}|previous)$/.exec(text ?? '')
  if (match === null) return null
  const [, word, environment = '', version] = match
  const kind = word === 'promote' ? 'promote' : 'rollback'
  if (version !== 'previous') return { kind, environment, version: Number(version) }
  const [back] = rollbackTargets(config, environment)
  if (back === undefined) return { kind: 'nothing_before', environment }
  return { kind: 'rollback', environment, version: back }
}
