import { countText } from '@signalbox/core/analysis'
import { clsx } from 'clsx'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { EnvironmentCell } from '@/components/kit/list/cells.tsx'
import { copyLink, linkedAt } from '@/components/kit/list/copy-link.ts'
import { type CellProps, defineFace } from '@/components/kit/list/list-face.tsx'
import { markAction } from '@/components/kit/list/marked-foot.tsx'
import { noPeek, peekAction } from '@/components/kit/list/peek-action.ts'
import { StatusText } from '@/components/ui/status-badge.tsx'
import { Ago, useZone } from '@/components/ui/time.tsx'
import type { RuntimeGroup } from '@/server/runtimes/runtime-pages.sql.ts'
import { RUNTIMES } from '@/server/runtimes/runtimes.list.ts'
import {
  findMainConfig,
  originText,
  STATE_LOOK,
  STATE_WORDS,
  stateText,
  versionsText,
} from './runtime-words.ts'
import type { RuntimeRow } from './use-runtime-list.ts'

type Props = CellProps<RuntimeRow>

const findPath = (id: string): string => `/runtimes/${id}`

/** "All in sync"; else the number in sync with the state of the first other runtime, a connected one if any of those lags. */
function groupText({ total, connected, inSync, isUniform, state }: RuntimeGroup): string {
  if (isUniform) return `All ${STATE_WORDS[state].toLowerCase()}`
  const many = `${countText(inSync)} of ${countText(total)} in sync`
  if (state !== 'in_sync') return `${many} · some ${STATE_WORDS[state].toLowerCase()}`
  return connected === total ? many : `${many} · ${countText(total - connected)} disconnected`
}

/** A row without facts of a runtime. */
const isLabel = ({ role }: RuntimeRow): boolean => role.kind === 'rest' || role.kind === 'section'
const isProcess = ({ role }: RuntimeRow): boolean => role.kind === 'alone' || role.kind === 'member'

function Name({ row: { role, name } }: Props) {
  if (role.kind === 'rest') return <span className="pl-5 text-text-2">{role.text}</span>
  if (role.kind === 'section') {
    const Mark = role.act.isExpanded === true ? ChevronDown : ChevronRight
    return (
      <span className="flex min-w-0 items-center gap-1">
        <Mark size={14} aria-hidden className="shrink-0 text-text-2" />
        <span className="truncate font-semibold">{name}</span>
        <span className="shrink-0 text-text-2">{role.size}</span>
      </span>
    )
  }
  if (role.kind !== 'deployment') {
    return <span className={clsx(role.kind === 'member' && 'pl-5')}>{name}</span>
  }
  const Icon = role.act.isExpanded === true ? ChevronDown : ChevronRight
  return (
    <span className="flex min-w-0 items-center gap-1" title={name}>
      <Icon size={14} aria-hidden className="shrink-0 text-text-2" />
      <span className="truncate">{name}</span>
      <span className="shrink-0 text-text-2">× {countText(role.group.total)}</span>
    </span>
  )
}

function ConfigCell({ row }: Props) {
  if (!isProcess(row)) return null
  const config = findMainConfig(row)
  const more = row.configs.length > 1 ? ` +${row.configs.length - 1}` : ''
  return (
    <code title={row.configs.map(({ prompt }) => prompt).join(', ')}>
      {config === undefined ? '–' : `${config.prompt}${more}`}
    </code>
  )
}

function VersionsCell({ row }: Props) {
  if (!isProcess(row)) return null
  const config = findMainConfig(row)
  return (
    <span className="font-mono text-mono">{config === undefined ? '–' : versionsText(config)}</span>
  )
}

function StateCell({ row }: Props) {
  const zone = useZone()
  if (isLabel(row)) return null
  const text = row.role.kind === 'deployment' ? groupText(row.role.group) : stateText(row, zone)
  return (
    <span title={text}>
      <StatusText status={STATE_LOOK[row.state]}>{text}</StatusText>
    </span>
  )
}

export const RUNTIME_FACE = defineFace<typeof RUNTIMES, RuntimeRow>(RUNTIMES, {
  heading: 'Runtimes',
  noun: 'runtime',
  act: ({ role }) => ('act' in role ? role.act : null),
  cells: {
    name: Name,
    environment: ({ row }: Props) => (isLabel(row) ? null : <EnvironmentCell row={row} />),
    sdkVersion: ({ row }: Props) => {
      const origin = originText(row)
      return isLabel(row) ? null : <span title={origin}>{origin}</span>
    },
    configs: ConfigCell,
    versions: VersionsCell,
    lastSeenAt: ({ row }: Props) => (isLabel(row) ? null : <Ago at={row.lastSeenAt} />),
    liveSessions: ({ row }: Props) => (isLabel(row) ? null : countText(row.liveSessions)),
    state: StateCell,
  },
  lead: 'name',
  href: ({ id }) => findPath(id),
  buildLink: findPath,
  title: ({ name }) => name,
  menuName: ({ role, name }) => (role.kind === 'deployment' ? `the deployment ${name}` : name),
  actions: ({ role, id, name }, { marks, peek }) => {
    if (role.kind === 'rest' || role.kind === 'section') return []
    if (role.kind === 'deployment') {
      const does = role.act.isExpanded === true ? 'Close the deployment' : 'Show its processes'
      return [{ name: does, onSelect: role.act.run }, noPeek('Open its processes to peek at one.')]
    }
    return [
      { name: 'Open', href: findPath(id) },
      peekAction(peek, id),
      markAction(marks, id),
      { name: 'Open its sessions', href: `/sessions?runtime=${id}` },
      { name: 'Copy link', onSelect: () => copyLink(linkedAt(findPath(id), name)) },
    ]
  },
  Card: ({ row, link }) => (
    <>
      <span className="flex min-w-0 items-center gap-2">
        <span className="min-w-0 flex-1">{link}</span>
        <VersionsCell row={row} />
      </span>
      {isLabel(row) ? null : (
        <span className="flex min-w-0 items-center gap-2 text-small text-text-2">
          <span className="min-w-0 truncate">
            <StateCell row={row} />
          </span>
          <span className="shrink-0">
            {row.environment} · <Ago at={row.lastSeenAt} />
          </span>
        </span>
      )}
      {isProcess(row) && (
        <span className="truncate text-small text-text-2">
          <ConfigCell row={row} />
        </span>
      )}
    </>
  ),
  // The label of a group has one line, a process three.
  cardHeight: (row) => (isLabel(row) ? 44 : 80),
  rowHeight: 36,
})
