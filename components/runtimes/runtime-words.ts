import { plural } from '@signalbox/core/analysis'
import { harnessText } from '@/components/enforcement/harness-text.ts'
import type { Status } from '@/components/ui/status-badge.tsx'
import { clockText } from '@/components/ui/time.tsx'
import type { RuntimeFacts, RuntimeState } from '@/server/runtimes/runtime-pages.sql.ts'
import type { RuntimeConfig } from '@/server/runtimes/runtimes.list.ts'

export interface Thresholds {
  readonly heartbeatSeconds: number
  readonly staleAfterSeconds: number
  readonly disconnectedAfterSeconds: number
}

export const STATE_LOOK = {
  // A warning, as on the release: the runtime continues with the version that it has.
  rejected: 'behind',
  nothing_applied: 'behind',
  behind: 'behind',
  ahead: 'ahead',
  stale: 'stale',
  in_sync: 'in_sync',
  disconnected: 'disconnected',
} as const satisfies Record<RuntimeState, Status>

export const STATE_WORDS = {
  rejected: 'Rejected',
  nothing_applied: 'Nothing applied',
  behind: 'Behind',
  ahead: 'Ahead',
  stale: 'Silent',
  in_sync: 'In sync',
  disconnected: 'Disconnected',
} as const satisfies Record<RuntimeState, string>

/** The config that is furthest behind. */
export function findMainConfig({ configs }: Pick<RuntimeFacts, 'configs'>) {
  return configs.toSorted((a, b) => b.behind - a.behind)[0]
}

/** `zone`: of the reader. */
export function stateText(runtime: RuntimeFacts, zone: string): string {
  const { state, rejectedReason, configs, lastSeenAt } = runtime
  if (state === 'rejected') {
    const expected = findMainConfig(runtime)?.expected ?? null
    const version = expected === null ? '' : ` v${expected}`
    return `Rejected${version}: ${rejectedReason ?? 'no reason given'}`
  }
  if (state === 'stale') {
    return `Silent since ${clockText(lastSeenAt, zone).slice(0, 8)} ${zone}`
  }
  if (state !== 'behind') return STATE_WORDS[state]
  const most = Math.max(0, ...configs.map(({ behind }) => behind))
  return most === 0 ? 'Behind' : `${plural(most, 'release')} behind`
}

/** `v14, expected v15`, `none, expected v15`; only the version if it is the expected one. */
export function versionsText({ applied, expected }: RuntimeConfig): string {
  const version = (number: number | null, none: string): string =>
    number === null ? none : `v${number}`
  return applied === expected
    ? version(applied, '–')
    : `${version(applied, 'none')}, expected ${version(expected, 'none')}`
}

/** Revisions of the bundle, which holds all released configs of an environment. */
export function bundleText({
  appliedRevision,
  expectedRevision,
}: Pick<RuntimeFacts, 'appliedRevision' | 'expectedRevision'>): string {
  if (appliedRevision === expectedRevision) return `revision ${expectedRevision}`
  return `${appliedRevision === null ? 'none' : `revision ${appliedRevision}`}, expected ${expectedRevision}`
}

export function thresholdText(thresholds: Thresholds): string {
  const { heartbeatSeconds, staleAfterSeconds, disconnectedAfterSeconds } = thresholds
  return `A runtime reports every ${heartbeatSeconds} s. It is silent after ${staleAfterSeconds} s without a report, and disconnected after ${disconnectedAfterSeconds / 60} min or after a clean shutdown.`
}

export function startupPolicyText(posture: string): string {
  if (posture === 'deny')
    return 'Keeps the applied version until a restart; then denies every call until the server answers.'
  if (posture === 'bootstrap')
    return 'Keeps the applied version until a restart; then runs the config built into the program.'
  return 'Keeps the last applied version, even after a restart.'
}

/** Clock skew, `+3.2 s`; in sync below one second. */
export function skewText(skewMs: number | null): string {
  if (skewMs === null) return 'not reported yet'
  const size = Math.abs(skewMs)
  if (size < 1000) return 'in sync with the server'
  const amount =
    size < 120_000
      ? `${(size / 1000).toFixed(1)} s`
      : size < 7_200_000
        ? `${Math.round(size / 60_000)} min`
        : `${(size / 3_600_000).toFixed(1)} h`
  return `${amount} ${skewMs > 0 ? 'ahead of' : 'behind'} the server`
}

/** Empty: both are unknown. */
export function originText({ sdkVersion, harness }: RuntimeFacts): string {
  const { name, version } = harness
  const named =
    typeof name === 'string'
      ? harnessText(typeof version === 'string' ? { name, version } : { name })
      : ''
  return [named, sdkVersion === '' ? '' : `SDK ${sdkVersion}`].filter(Boolean).join(', ')
}

export const SECTIONS = ['attention', 'connected', 'disconnected'] as const
export type Section = (typeof SECTIONS)[number]

export const SECTION_WORDS = {
  attention: 'Needs attention',
  connected: 'Connected',
  disconnected: 'Disconnected',
} as const satisfies Record<Section, string>

export function findSection({ state }: Pick<RuntimeFacts, 'state'>): Section {
  if (state === 'disconnected') return 'disconnected'
  return state === 'in_sync' ? 'connected' : 'attention'
}
