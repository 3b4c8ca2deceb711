// Needs enough stop attempts under the config versions (specs/explanations.md). Pure.
import type { VersionStops } from './stop-groups.sql.ts'

export interface StopStanding {
  /**
   * `gone`: neither under `since` nor under any later version. `back`: under `since`, after versions without it that followed versions with
   * it. `new`: from `since` on, and under no earlier version.
   */
  readonly kind: 'gone' | 'back' | 'new'
  readonly since: number
  readonly attempts: number
}

/** Fewer attempts without a reason prove nothing. */
const ENOUGH_ATTEMPTS = 20

const countAttempts = (versions: readonly VersionStops[]): number =>
  versions.reduce((sum, { attempts }) => sum + attempts, 0)

/** `versions`: of one config, in order of number. Null: it still occurs, or there is no proof. */
function computeConfigStanding(versions: readonly VersionStops[]): StopStanding | null {
  const last = versions.findLastIndex(({ stops }) => stops > 0)
  if (last < 0) return null
  const after = versions.slice(last + 1)
  const [quiet] = after
  if (quiet !== undefined) {
    const attempts = countAttempts(after)
    return attempts < ENOUGH_ATTEMPTS ? null : { kind: 'gone', since: quiet.number, attempts }
  }
  const before = versions.slice(0, last + 1)
  const lull = before.findLastIndex(({ stops }) => stops === 0)
  const begins = before[lull + 1]
  if (lull < 0 || begins === undefined) return null
  const earlier = before.slice(0, lull + 1)
  const seen = earlier.findLastIndex(({ stops }) => stops > 0)
  const attempts = countAttempts(earlier.slice(seen + 1))
  if (attempts < ENOUGH_ATTEMPTS) return null
  return { kind: seen < 0 ? 'new' : 'back', since: begins.number, attempts }
}

/** Null for a reason in several configs, because versions of different configs have no order. */
export function computeStanding(versions: readonly VersionStops[]): StopStanding | null {
  const [first] = versions
  if (first === undefined) return null
  const isOne = versions.every(({ ns, key }) => ns === first.ns && key === first.key)
  return isOne ? computeConfigStanding(versions) : null
}
