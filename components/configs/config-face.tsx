'use client'

import { Lock } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import {
  type CellProps,
  defineFace,
  type Face,
  spreadColumn,
} from '@/components/kit/list/list-face.tsx'
import { configPath } from '@/components/paths/config-path.ts'
import { useConfigRights } from '@/components/shell/use-config-rights.ts'
import { DemoTag } from '@/components/ui/demo-tag.tsx'
import { toast } from '@/components/ui/toast.tsx'
import { CONFIGS } from '@/server/configs/configs.list.ts'
import type { ListedConfig } from '@/server/configs/configs.ts'
import type { ListedEnvironment } from '@/server/runtimes/runtime-list.ts'
import { ComingText } from './coming-lines.tsx'
import { listComing } from './coming-words.ts'
import { hasChanges, listActions, type RowActions } from './config-actions.tsx'
import {
  behindFirst,
  DayText,
  DraftCell,
  LastReleaseCell,
  PointerCell,
  RulesText,
  RuntimesText,
  VersionChip,
  versionIn,
} from './config-cells.tsx'
import { useEnvironments } from './use-config-list.ts'

type Props = CellProps<ListedConfig>

const findPath = ({ ns, key }: ListedConfig): string => configPath(ns, key)

function Lines({ children }: { readonly children: ReactNode }) {
  return <span className="block leading-tight">{children}</span>
}

function Pointers({ row }: Props) {
  const chain = useEnvironments().map(({ name }) => name)
  const first = chain[0] ?? ''
  const live = chain.filter((name) => versionIn(row, name) !== undefined)
  if (live.length === 0) return <span className="text-small text-text-2">not released</span>
  return (
    <span className="flex min-w-0 gap-x-3 overflow-hidden whitespace-nowrap">
      {live.map((name) => {
        const behind = behindFirst(row, name, first)
        return (
          <span key={name} className="inline-flex items-center gap-1 text-small text-text-2">
            {name} <VersionChip version={versionIn(row, name) ?? 0} />
            {behind > 0 && (
              <span>
                −{behind}
                <span className="sr-only"> versions behind {first}</span>
              </span>
            )}
          </span>
        )
      })}
    </span>
  )
}

/** Characters of a name that fit one line of a card on a phone. */
const NAME_FITS = 36

/** A card has a line more for a long name, and one for a version that is on its way. */
function findCardHeight(row: ListedConfig): number {
  const isLong = `${row.ns}/${row.key}`.length > NAME_FITS
  return 76 + (isLong ? 20 : 0) + (listComing(row).length > 0 ? 20 : 0)
}

const FACE = defineFace<typeof CONFIGS, ListedConfig>(CONFIGS, {
  heading: 'Configs',
  noun: 'config',
  cells: {
    ns: ({ row: { ns, key } }: Props) => (
      <>
        {ns}/{key} <DemoTag ns={ns} />
      </>
    ),
    pointers: Pointers,
    draft: ({ row }: Props) => (
      <Lines>
        <DraftCell config={row} tabIndex={-1} />
      </Lines>
    ),
    rules: ({ row }: Props) => <RulesText rules={row.rules} />,
    runtimes: ({ row }: Props) => <RuntimesText runtimes={row.runtimes} />,
    day: ({ row }: Props) => (
      <span className="block text-small leading-tight">
        <DayText day={row.day} />
      </span>
    ),
    lastRelease: ({ row }: Props) => (
      <Lines>
        <LastReleaseCell release={row.lastRelease} tabIndex={-1} />
      </Lines>
    ),
  },
  lead: 'ns',
  href: findPath,
  buildLink: (id) => `/configs/${id}`,
  title: ({ ns, key }) => `${ns}/${key}`,
  Aside: ({ row }) => <ComingText config={row} />,
  menuName: ({ ns, key }) => `${ns}/${key}`,
  actions: () => [],
  keys: [
    { keys: 'e', does: 'edit', run: (config, go) => go(`${findPath(config)}/edit`) },
    {
      keys: 'd',
      does: 'diff of draft and live',
      run: (config, go) => {
        if (hasChanges(config)) go(`${findPath(config)}/edit?tab=diff`)
        else toast(`${config.ns}/${config.key} has no draft with changes.`)
      },
    },
  ],
  Card: ({ row, link }) => (
    <>
      {link}
      <Pointers row={row} />
      <span className="flex min-w-0 items-center gap-x-3 overflow-hidden whitespace-nowrap text-small text-text-2">
        {row.runtimes.total > 0 && <RuntimesText runtimes={row.runtimes} />}
        {row.day === null ? 'no call in 24 h' : <DayText day={row.day} form="line" />}
        {hasChanges(row) && <span>draft {row.draft?.state}</span>}
      </span>
    </>
  ),
  cardHeight: findCardHeight,
  rowHeight: 48,
})

const LOCK = <Lock size={11} aria-hidden className="mr-1 inline shrink-0" />

export function configFace(
  environments: readonly Pick<ListedEnvironment, 'name' | 'requiresTypedName'>[],
): Face<ListedConfig> {
  const first = environments[0]?.name ?? ''
  const columns = environments.map(({ name, requiresTypedName }) => ({
    name: `env:${name}`,
    label: name,
    icon: requiresTypedName ? LOCK : undefined,
    least: 60,
    share: 0.8,
    Cell: ({ row }: Props) => (
      <Lines>
        <span className="sr-only">{name}: </span>
        <PointerCell config={row} environment={name} first={first} />
      </Lines>
    ),
  }))
  return columns.length === 0 ? FACE : spreadColumn(FACE, 'pointers', columns)
}

export function useConfigFace(actions: RowActions): Face<ListedConfig> {
  const environments = useEnvironments()
  const rights = useConfigRights()
  // Memoized: cells must stay the same components between renders.
  const face = useMemo(() => configFace(environments), [environments])
  const chain = environments.map(({ name }) => name)
  return {
    ...face,
    actions: (config, { marks, peek }) =>
      listActions(config, { chain, rights, actions, marks, peek }),
  }
}
