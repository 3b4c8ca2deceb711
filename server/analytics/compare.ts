import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { listPromptVersions } from './analytics-frame.sql.ts'
import { type RollupFilter, type RollupSum, sumRollups } from './rollup-sums.sql.ts'

export interface VersionRates {
  readonly version: number
  readonly sessions: number
  readonly calls: number
  readonly denied: number
  readonly stops: number
  readonly blocked: number
  readonly bypassed: number
  readonly released: number
  readonly releasedAtOnce: number
  readonly advised: number
  readonly followed: number
}

interface Asked extends Omit<RollupFilter, 'prompt' | 'digests'> {
  readonly prompt: { readonly ns: string; readonly key: string }
  readonly versions: readonly number[]
}

/** In the order of `versions`. Missing versions are omitted. */
export async function compareVersions(
  { projectId }: ProjectScope,
  { versions, ...asked }: Asked,
): Promise<readonly VersionRates[]> {
  const known = await listPromptVersions(projectId, asked.prompt)
  const chosen = versions.flatMap((number) => known.filter((one) => one.number === number))
  const filter = { ...asked, digests: chosen.map(({ digest }) => digest) }
  const sums = (kind: 'session' | 'call' | 'stop' | 'until' | 'act', by: 'a' | 'c' = 'a') =>
    sumRollups(projectId, filter, {
      kind,
      by: ['digest', by],
      stepHours: null,
      ...(kind === 'stop' ? { stops: 'attempts' } : {}),
    })
  const [sessions, calls, stops, until, acts] = await Promise.all([
    sums('session'),
    sums('call'),
    sums('stop'),
    sums('until'),
    sums('act', 'c'),
  ])
  return chosen.map(({ number: version, digest }) => {
    const sum = (rows: readonly RollupSum[], ...names: readonly string[]): number =>
      rows
        .filter((row) => row.names[0] === digest)
        .filter((row) => names.length === 0 || names.includes(row.names[1] ?? ''))
        .reduce((total, { count }) => total + count, 0)
    return {
      version,
      sessions: sum(sessions),
      calls: sum(calls),
      denied: sum(calls, 'denied', 'error'),
      stops: sum(stops, 'allowed', 'blocked', 'bypassed', 'error'),
      blocked: sum(stops, 'blocked'),
      bypassed: sum(stops, 'bypassed'),
      released: sum(until),
      releasedAtOnce: sum(until, '1'),
      advised: sum(acts, 'expected'),
      followed: sum(acts, 'followed'),
    }
  })
}
