'use client'
import { countText } from '@signalbox/core/analysis'
// Deployments and their processes as one virtual list. Below 640 px a row is two lines.
import { useVirtualizer } from '@tanstack/react-virtual'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { parseAsString, useQueryState } from 'nuqs'
import { type ReactNode, useEffect, useRef } from 'react'
import { copyLink, linkedAt } from '@/components/kit/list/copy-link.ts'
import { noPeek, type Peeking, peekAction } from '@/components/kit/list/peek-action.ts'
import { RowMenu } from '@/components/kit/list/row-menu.tsx'
import { useListKeys } from '@/components/kit/list/use-list-keys.ts'
import { Button } from '@/components/ui/button.tsx'
import { cn } from '@/components/ui/class-names.ts'
import { Link } from '@/components/ui/link.tsx'
import { StatusText } from '@/components/ui/status-badge.tsx'
import { Ago } from '@/components/ui/time.tsx'
import { useMedia } from '@/components/ui/use-width.ts'
import type { RuntimeFacts, RuntimeGroup } from '@/server/runtimes/runtime-pages.sql.ts'
import { RuntimePeek } from './runtime-peek.tsx'
import {
  originText,
  STATE_LOOK,
  stateText,
  stateWords,
  type Thresholds,
  thresholdText,
  versionsText,
} from './runtime-words.ts'
import { groupKey, type ListRow, useRuntimeList } from './use-runtime-list.ts'

interface RuntimeRowsProps {
  readonly groups: readonly RuntimeGroup[]
  /** Members of groups of one. */
  readonly alone: readonly RuntimeFacts[]
  readonly thresholds: Thresholds
  /** Keys of the deployments that the user opened or closed. */
  readonly toggled: readonly string[]
  readonly onToggle: (keys: string[]) => void
}

const WIDE_PX = 36
const NARROW_PX = 60
const MOST_PX = 640

const COLUMNS =
  'grid grid-cols-[minmax(130px,1fr)_90px_minmax(100px,0.9fr)_minmax(130px,1fr)_120px_80px_60px_minmax(180px,1.8fr)_28px] items-center gap-x-3 px-3'

export function RuntimeRows({ groups, alone, thresholds, toggled, onToggle }: RuntimeRowsProps) {
  const isNarrow = useMedia('(max-width: 1023px)')
  const rows = useRuntimeList({ groups, alone, toggled })
  const scroller = useRef<HTMLDivElement>(null)
  const height = isNarrow ? NARROW_PX : WIDE_PX
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 12,
  })
  // Rows have another height after the width crossed the bound.
  useEffect(() => {
    if (height > 0) virtual.measure()
  }, [virtual, height])
  const [shown, setShown] = useQueryState('peek', parseAsString)
  const peeked = rows.find((row) => row.kind === 'runtime' && row.key === shown)
  // The row of a deployment has no id: on it, what is looked at stays.
  const show = (id: string | null): void => void (id === '' ? undefined : setShown(id))
  const peek: Peeking = { shown, show }
  useListKeys('runtimes', { noun: 'runtime', peek, hasActions: true })
  const toggle = (key: string): void =>
    onToggle(toggled.includes(key) ? toggled.filter((one) => one !== key) : [...toggled, key])
  return (
    <div className="flex">
      <div className="min-w-0 flex-1">
        {!isNarrow && <Head thresholds={thresholds} />}
        <div
          ref={scroller}
          data-scrolls
          // The list scrolls inside its own box.
          className="overflow-y-auto overflow-x-hidden"
          style={{ height: Math.min(MOST_PX, rows.length * height) }}
        >
          <ul aria-label="Runtimes" className="relative" style={{ height: virtual.getTotalSize() }}>
            {virtual.getVirtualItems().map(({ index, start }) => {
              const row = rows[index]
              if (row === undefined) return null
              return (
                <li
                  key={row.key}
                  aria-posinset={index + 1}
                  aria-setsize={rows.length}
                  className="absolute inset-x-0 border-border border-b focus-within:bg-row-selected hover:bg-row-hover"
                  style={{ top: start, height }}
                >
                  <RowContent row={row} isNarrow={isNarrow} peek={peek} onToggle={toggle} />
                </li>
              )
            })}
          </ul>
        </div>
      </div>
      {peeked?.kind === 'runtime' ? (
        <RuntimePeek runtime={peeked.runtime} onClose={() => show(null)} />
      ) : null}
    </div>
  )
}

const HEADS = ['Name', 'Environment', 'SDK · harness', 'Config', 'Applied / expected']

function Head({ thresholds }: { readonly thresholds: Thresholds }) {
  return (
    <div
      aria-hidden
      className={cn(
        COLUMNS,
        // A server does not know how wide the window is.
        'h-8 border-border border-b font-medium text-small text-text-2 max-lg:hidden',
      )}
    >
      {HEADS.map((name) => (
        <span key={name}>{name}</span>
      ))}
      <span>Heartbeat</span>
      <span className="text-right">Sessions</span>
      <span title={thresholdText(thresholds)}>State</span>
      <span />
    </div>
  )
}

interface RowContentProps {
  readonly row: ListRow
  readonly isNarrow: boolean
  readonly peek: Peeking
  readonly onToggle: (key: string) => void
}

function RowContent({ row, isNarrow, peek, onToggle }: RowContentProps) {
  if (row.kind === 'group') {
    const { group } = row
    const props = { group, isOpen: row.isOpen, onToggle: () => onToggle(groupKey(group)) }
    return isNarrow ? <NarrowGroup {...props} /> : <WideGroup {...props} />
  }
  if (row.kind === 'more')
    return (
      <div className="flex h-full items-center gap-2 px-3 pl-9 text-text-2">
        {row.state === 'loading' && 'Loading …'}
        {row.state === 'failed' && (
          <>
            These runtimes could not be loaded.
            <Button onClick={row.onMore}>Try again</Button>
          </>
        )}
        {row.state === 'more' && <Button onClick={row.onMore}>Show more</Button>}
      </div>
    )
  const { runtime, isMember } = row
  return isNarrow ? (
    <NarrowRuntime runtime={runtime} isMember={isMember} peek={peek} />
  ) : (
    <WideRuntime runtime={runtime} isMember={isMember} peek={peek} />
  )
}

interface GroupProps {
  readonly group: RuntimeGroup
  readonly isOpen: boolean
  readonly onToggle: () => void
}

function GroupName({ group, isOpen, onToggle }: GroupProps) {
  const Icon = isOpen ? ChevronDown : ChevronRight
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      onClick={onToggle}
      data-row
      className="flex min-h-6 min-w-0 max-w-full items-center gap-1 text-left font-medium"
    >
      <Icon size={14} aria-hidden className="shrink-0 text-text-2" />
      <span className="truncate">{group.name}</span>
      <span className="shrink-0 text-text-2">× {countText(group.total)}</span>
    </button>
  )
}

/** "all in sync", or how many are, with the state of the first other runtime: a connected one if any of those lags. */
function groupText({ total, connected, inSync, isUniform, state }: RuntimeGroup): string {
  if (isUniform) return `all ${stateWords(state)}`
  const many = `${countText(inSync)} of ${countText(total)} in sync`
  if (state !== 'in_sync') return `${many} · some ${stateWords(state)}`
  return connected === total ? many : `${many} · ${countText(total - connected)} gone`
}

function WideGroup(props: GroupProps) {
  const { group } = props
  const text = groupText(group)
  return (
    <div className={cn(COLUMNS, 'h-full')}>
      <span className="min-w-0">
        <GroupName {...props} />
      </span>
      <Cell>{group.environment}</Cell>
      <Cell>{group.sdkVersions.join(', ')}</Cell>
      <Cell>{''}</Cell>
      <Cell>{''}</Cell>
      <Cell>
        <Ago at={group.lastSeenAt} />
      </Cell>
      <Cell className="text-right tabular-nums">{countText(group.sessions)}</Cell>
      <Cell title={text}>
        <StatusText status={STATE_LOOK[group.state]}>{text}</StatusText>
      </Cell>
      <GroupMenu {...props} />
    </div>
  )
}

function NarrowGroup(props: GroupProps) {
  const { group } = props
  return (
    <div className="relative flex h-full flex-col justify-center gap-0.5 pr-12 pl-3">
      <GroupName {...props} />
      <p className="flex min-w-0 items-center gap-2 truncate pl-5 text-small text-text-2">
        <StatusText status={STATE_LOOK[group.state]}>{groupText(group)}</StatusText>
        {group.environment}
      </p>
      <span className={NARROW_MENU}>
        <GroupMenu {...props} />
      </span>
    </div>
  )
}

interface RuntimeProps {
  readonly runtime: RuntimeFacts
  readonly isMember: boolean
  readonly peek: Peeking
}

/** The config that needs a look first. */
function mainConfig({ configs }: RuntimeFacts) {
  return configs.toSorted((a, b) => b.behind - a.behind)[0]
}

function WideRuntime({ runtime, isMember, peek }: RuntimeProps) {
  const config = mainConfig(runtime)
  const more = runtime.configs.length > 1 ? ` +${runtime.configs.length - 1}` : ''
  const origin = originText(runtime)
  const text = stateText(runtime)
  return (
    <div className={cn(COLUMNS, 'h-full')}>
      <span className={cn('min-w-0 truncate', isMember && 'pl-5')} title={runtime.name}>
        <Link
          data-row={runtime.id}
          href={`/runtimes/${runtime.id}`}
          className="font-medium text-link"
        >
          {runtime.name}
        </Link>
      </span>
      <Cell>{runtime.environment}</Cell>
      <Cell title={origin}>{origin}</Cell>
      <Cell title={runtime.configs.map(({ prompt }) => prompt).join(', ')}>
        <code>{config === undefined ? '–' : `${config.prompt}${more}`}</code>
      </Cell>
      <Cell className="font-mono text-mono">
        {config === undefined ? '–' : versionsText(config)}
      </Cell>
      <Cell>
        <Ago at={runtime.lastSeenAt} />
      </Cell>
      <Cell className="text-right tabular-nums">{runtime.liveSessions}</Cell>
      <Cell title={text}>
        <StatusText status={STATE_LOOK[runtime.state]}>{text}</StatusText>
      </Cell>
      <RuntimeMenu runtime={runtime} peek={peek} />
    </div>
  )
}

function NarrowRuntime({ runtime, isMember, peek }: RuntimeProps) {
  const config = mainConfig(runtime)
  return (
    <div
      className={cn(
        'relative flex h-full flex-col justify-center gap-0.5 pr-12 pl-3',
        isMember && 'pl-8',
      )}
    >
      <p className="flex min-w-0 items-center gap-2">
        <Link
          data-row={runtime.id}
          href={`/runtimes/${runtime.id}`}
          className="min-w-0 flex-1 truncate font-medium text-link"
        >
          {runtime.name}
        </Link>
        <span className="shrink-0 font-mono text-mono">
          {config === undefined ? '–' : versionsText(config)}
        </span>
      </p>
      <p className="flex min-w-0 items-center gap-2 text-small text-text-2">
        <span className="min-w-0 truncate">
          <StatusText status={STATE_LOOK[runtime.state]}>{stateText(runtime)}</StatusText>
        </span>
        <span className="shrink-0">
          {runtime.environment} · <Ago at={runtime.lastSeenAt} />
        </span>
      </p>
      <span className={NARROW_MENU}>
        <RuntimeMenu runtime={runtime} peek={peek} />
      </span>
    </div>
  )
}

const NARROW_MENU = 'absolute top-1 right-1'

function GroupMenu({ group, isOpen, onToggle }: GroupProps) {
  return (
    <RowMenu
      label={`Actions for the deployment ${group.name}`}
      items={[
        { name: isOpen ? 'Close the deployment' : 'Show its processes', onSelect: onToggle },
        noPeek('Open its processes to peek at one.'),
      ]}
    />
  )
}

function RuntimeMenu({ runtime, peek }: Pick<RuntimeProps, 'runtime' | 'peek'>) {
  const { id, name } = runtime
  return (
    <RowMenu
      label={`Actions for ${name}`}
      items={[
        { name: 'Open', href: `/runtimes/${id}` },
        peekAction(peek, id),
        { name: 'Open its sessions', href: `/sessions?runtime=${id}` },
        { name: 'Copy link', onSelect: () => copyLink(linkedAt(`/runtimes/${id}`, name)) },
      ]}
    />
  )
}

function Cell({
  children,
  className,
  title,
}: {
  readonly children: ReactNode
  readonly className?: string
  readonly title?: string
}) {
  return (
    <span className={cn('min-w-0 truncate', className)} title={title}>
      {children}
    </span>
  )
}
