import { countText, plural } from '@signalbox/core/analysis'
import { STOP_ATTEMPTS } from '@/components/explanations/stop-attempts.ts'
import { configPath } from '@/components/paths/config-path.ts'
import { Link } from '@/components/ui/link.tsx'
import { StatusText } from '@/components/ui/status-badge.tsx'
import { Ago } from '@/components/ui/time.tsx'
import type { ListedConfig } from '@/server/configs/configs.ts'
import { describeDay } from './day-words.ts'

export function versionIn(
  { pointers }: Pick<ListedConfig, 'pointers'>,
  environment: string,
): number | undefined {
  return pointers.find((pointer) => pointer.environment === environment)?.version
}

/** 0 if either runs none. */
export function behindFirst(config: ListedConfig, environment: string, first: string): number {
  const version = versionIn(config, environment)
  const newest = versionIn(config, first)
  return version === undefined || newest === undefined ? 0 : Math.max(0, newest - version)
}

export function VersionChip({ version }: { readonly version: number }) {
  return (
    <span className="inline-flex rounded-badge border border-border bg-surface-2 px-1 font-mono text-mono">
      v{version}
    </span>
  )
}

const DASH = <span className="text-text-3">–</span>

export function PointerCell({
  config,
  environment,
  first,
}: {
  readonly config: ListedConfig
  readonly environment: string
  readonly first: string
}) {
  const version = versionIn(config, environment)
  if (version === undefined) return DASH
  const behind = behindFirst(config, environment, first)
  return (
    <>
      <VersionChip version={version} />
      {behind > 0 && (
        <span className="block truncate text-small text-text-2">
          {behind} behind {first}
        </span>
      )}
    </>
  )
}

export function DraftCell({
  config,
  tabIndex,
}: {
  readonly config: ListedConfig
  readonly tabIndex: number
}) {
  const { draft, ns, key } = config
  if (draft === null || draft.state === 'clean') return DASH
  const href = `${configPath(ns, key)}/edit?tab=diff`
  const who = draft.author ?? 'a former member'
  return (
    <>
      <Link
        href={href}
        tabIndex={tabIndex}
        className="text-link hover:underline"
        aria-label={`Draft of ${ns}/${key}, ${draft.state}: show what it changes`}
      >
        {draft.state === 'invalid' ? <StatusText status="warning">invalid</StatusText> : 'changed'}
      </Link>
      <span className="block truncate text-small text-text-2" title={who}>
        {who}, <Ago at={draft.updatedAt} />
      </span>
    </>
  )
}

export function rulesText({
  policies,
  content,
  providers,
  checks,
  isShadow,
}: NonNullable<ListedConfig['rules']>): string {
  const inspecting = content === 0 ? '' : `${plural(content, 'content rule')}, `
  return `${plural(policies, 'policy')}, ${inspecting}${plural(providers, 'feedback provider')}, ${plural(checks, 'check')}${isShadow ? ', all in shadow mode' : ''}`
}

export function RulesText({ rules }: { readonly rules: ListedConfig['rules'] }) {
  if (rules === null) return DASH
  const { policies, content, providers, checks, isShadow } = rules
  const words = rulesText(rules)
  return (
    <span title={words}>
      <span aria-hidden className="text-small text-text-2">
        {isShadow && <span className="text-warning-fg">Shadow: </span>}
        {plural(policies + content + providers + checks, 'rule')}
      </span>
      <span className="sr-only">{words}</span>
    </span>
  )
}

export function RuntimesText({ runtimes }: { readonly runtimes: ListedConfig['runtimes'] }) {
  const { inSync, total } = runtimes
  if (total === 0) return DASH
  return (
    <StatusText status={inSync === total ? 'in_sync' : 'behind'}>
      {`${countText(inSync)} of ${countText(total)} in sync`}
    </StatusText>
  )
}

function baseText(day: NonNullable<ListedConfig['day']>) {
  const { calls, denied, stops, blocked, wouldDeny, wouldBlock } = day
  const shadow = [
    wouldDeny === 0 ? '' : `, ${plural(wouldDeny, 'call')} would be denied`,
    wouldBlock === 0 ? '' : `, ${plural(wouldBlock, 'stop')} would be blocked`,
  ].join('')

  const of = (part: number, whole: number, noun: string) =>
    `${countText(part)} of ${plural(whole, noun)}`
  return `${of(denied, calls, 'call')} denied, ${of(blocked, stops, 'stop attempt')} blocked in the last 24 h${shadow}`
}

export function DayText({
  day,
  form = 'cell',
}: {
  readonly day: ListedConfig['day']
  /** `cell`: two lines; `line`: one; `sentence`: one, with the nouns. */
  readonly form?: 'cell' | 'line' | 'sentence'
}) {
  if (day === null) {
    return (
      <span className="text-text-3" title="No call in the last 24 h">
        –
      </span>
    )
  }
  const { calls, stops } = describeDay(day, form === 'sentence')
  return (
    <span title={`${baseText(day)}. ${STOP_ATTEMPTS}`} className="tabular-nums">
      <span aria-hidden>
        {calls}
        {form === 'cell' ? <br /> : ', '}
        {stops}
      </span>
      <span className="sr-only">{baseText(day)}</span>
    </span>
  )
}

export function LastReleaseCell({
  release,
  tabIndex,
}: {
  readonly release: ListedConfig['lastRelease']
  readonly tabIndex: number
}) {
  if (release === null) return DASH
  const { id, version, environment, author, at } = release
  return (
    <>
      <Link
        href={`/releases/${id}`}
        tabIndex={tabIndex}
        className="block truncate text-link hover:underline"
        title={`v${version} to ${environment}, by ${author ?? 'a former member'}`}
      >
        v{version} to {environment}
      </Link>
      <span className="text-small text-text-2">
        <Ago at={at} />
      </span>
    </>
  )
}
