'use client'
// Configs as one virtual list: one column an environment, or three lines where the page is narrow. One row has the focus; keys move it.
import { useVirtualizer } from '@tanstack/react-virtual'
import { Lock } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { linkedAt, openPage } from '@/components/kit/list/copy-link.ts'
import { focusFilter, listKeys } from '@/components/kit/list/list-keys.ts'
import type { Peeking } from '@/components/kit/list/peek-action.ts'
import { configPath } from '@/components/paths/config-path.ts'
import { useGo, writesAddress } from '@/components/shell/address.ts'
import { usePageKeys } from '@/components/shell/page-keys.ts'
import { useConfigRights } from '@/components/shell/use-config-rights.ts'
import { cn } from '@/components/ui/class-names.ts'
import { Link } from '@/components/ui/link.tsx'
import { Menu } from '@/components/ui/menu.tsx'
import { toast } from '@/components/ui/toast.tsx'
import { useMedia } from '@/components/ui/use-width.ts'
import type { ListedConfig } from '@/server/configs/configs.ts'
import type { ListedEnvironment } from '@/server/runtimes/runtime-list.ts'
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
import { ConfigPeek } from './config-peek.tsx'

const WIDE_PX = 48
const NARROW_PX = 104
const HEAD_PX = 32
const MOST_PX = 672

export interface ConfigRowsProps {
  readonly configs: readonly ListedConfig[]
  /** On all pages; null: not known. */
  readonly total: number | null
  /** In order of promotion. */
  readonly environments: readonly ListedEnvironment[]
  /** `ns/key` of the chosen row. */
  readonly chosen: string | null
  /** Resolves once the address has it. */
  readonly onChoose: (name: string) => Promise<unknown>
  readonly isPeeking: boolean
  readonly onPeek: (isPeeking: boolean) => void
  readonly onNearEnd: () => void
  readonly actions: RowActions
}

function formatConfigName({ ns, key }: ListedConfig): string {
  return `${ns}/${key}`
}

export function ConfigRows(props: ConfigRowsProps) {
  const isNarrow = useMedia('(max-width: 1199px)')
  const height = isNarrow ? NARROW_PX : WIDE_PX
  // A list of another row height is another list.
  return <FixedRows key={height} {...props} isNarrow={isNarrow} height={height} />
}

interface FixedProps extends ConfigRowsProps {
  readonly isNarrow: boolean
  readonly height: number
}

function FixedRows(props: FixedProps) {
  const { configs, total, environments, chosen, onNearEnd, actions, isNarrow, height } = props
  const scroller = useRef<HTMLDivElement>(null)
  const rights = useConfigRights()
  const [menu, setMenu] = useState<string | null>(null)
  const at = configs.findIndex((config) => formatConfigName(config) === chosen)
  const head = isNarrow ? 0 : HEAD_PX
  const virtual = useVirtualizer({
    count: configs.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 12,
    initialRect: { width: 1000, height: MOST_PX },
    initialOffset: () => Math.max(0, (at - 4) * height),
    scrollPaddingStart: head,
  })
  const wantsFocus = useRef(false)
  useRowKeys({
    ...props,
    at,
    onMenu: setMenu,
    show: (index) => virtual.scrollToIndex(index),
    wantsFocus,
  })
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (last >= configs.length - 20) onNearEnd()
  }, [last, configs.length, onNearEnd])
  const chain = environments.map(({ name }) => name)
  const columns = isNarrow ? undefined : columnsFor(chain.length)
  const peeked = props.isPeeking ? configs[at] : undefined
  const peek: Peeking = {
    shown: props.isPeeking ? chosen : null,
    show: (name) => {
      if (name !== null) writesAddress(props.onChoose(name))
      props.onPeek(name !== null)
    },
  }
  return (
    <div className="flex">
      <div
        ref={scroller}
        data-scrolls
        className="relative min-w-0 flex-1 overflow-auto"
        style={{ height: Math.min(MOST_PX, configs.length * height + head) }}
      >
        <div style={columns === undefined ? undefined : { minWidth: 764 + chain.length * 92 }}>
          {!isNarrow && <Head environments={environments} columns={columns ?? ''} />}
          <ul aria-label="Configs" className="relative" style={{ height: virtual.getTotalSize() }}>
            {items.map(({ index, start }) => {
              const config = configs[index]
              if (config === undefined) return null
              const name = formatConfigName(config)
              const isCurrent = index === (at === -1 ? 0 : at)
              const tabIndex = isCurrent ? 0 : -1
              return (
                <li
                  key={config.id}
                  data-config={name}
                  aria-posinset={index + 1}
                  aria-setsize={total ?? configs.length}
                  className={cn(
                    'absolute inset-x-0 border-border focus-within:bg-row-selected hover:bg-row-hover',
                    index < configs.length - 1 && 'border-b',
                    index === at && 'bg-row-selected hover:bg-row-selected',
                    isNarrow ? 'flex flex-col justify-center gap-1 px-3' : ROW,
                  )}
                  style={{ top: start, height, gridTemplateColumns: columns }}
                >
                  <RowLink
                    config={config}
                    tabIndex={tabIndex}
                    wantsFocus={wantsFocus}
                    isNarrow={isNarrow}
                    isChosen={index === at}
                  />
                  {isNarrow ? (
                    <NarrowCells config={config} chain={chain} />
                  ) : (
                    <WideCells config={config} chain={chain} tabIndex={tabIndex} />
                  )}
                  <div className={isNarrow ? 'absolute top-1.5 right-1.5' : 'justify-self-end'}>
                    <Menu
                      label={`Actions for ${name}`}
                      items={listActions(config, { chain, rights, actions, peek })}
                      open={menu === name}
                      onOpenChange={(isOpen) => setMenu(isOpen ? name : null)}
                      tabIndex={tabIndex}
                    />
                  </div>
                </li>
              )
            })}
          </ul>
        </div>
      </div>
      {peeked === undefined ? null : (
        <ConfigPeek config={peeked} chain={chain} onClose={() => props.onPeek(false)} />
      )}
    </div>
  )
}

const ROW = 'grid items-center gap-x-2 px-3'

function columnsFor(environments: number): string {
  return `minmax(160px,1.7fr) repeat(${environments},minmax(84px,0.8fr)) minmax(124px,1.1fr) 76px 100px 96px minmax(100px,0.9fr) 28px`
}

interface RowKeys extends FixedProps {
  readonly at: number
  readonly wantsFocus: { current: boolean }
  readonly onMenu: (name: string) => void
  readonly show: (index: number) => void
}

/** Index of the focused row, else of the chosen one; -1 for none. */
function currentRow(configs: readonly ListedConfig[], at: number): number {
  const name = document.activeElement?.closest('[data-config]')?.getAttribute('data-config')
  const focused = configs.findIndex((config) => formatConfigName(config) === name)
  return focused === -1 ? at : focused
}

/** j, k and the arrows move the focus; the other keys are about the row that has it. */
function useRowKeys({
  configs,
  at,
  isPeeking,
  onPeek,
  onChoose,
  onMenu,
  show,
  wantsFocus,
}: RowKeys): void {
  const go = useGo()
  const move = (index: number) => {
    const config = configs[Math.max(0, Math.min(configs.length - 1, index))]
    if (config === undefined) return
    wantsFocus.current = true
    show(configs.indexOf(config))
    writesAddress(onChoose(formatConfigName(config)))
  }
  const withChosen = (act: (config: ListedConfig) => void) => () => {
    const config = configs[currentRow(configs, at)]
    if (config !== undefined) act(config)
  }
  const diff = withChosen((config) => {
    if (hasChanges(config)) go(`${configPath(config.ns, config.key)}/edit?tab=diff`)
    else toast(`${formatConfigName(config)} has no draft with changes.`)
  })
  const openChosen = withChosen(({ ns, key }) => go(configPath(ns, key)))
  usePageKeys('configs', [
    ...listKeys({
      noun: 'config',
      move: (by) => move(currentRow(configs, at) + by),
      first: () => move(0),
      last: () => move(configs.length - 1),
      open: openChosen,
      linked: () => {
        const config = configs[currentRow(configs, at)]
        return config === undefined
          ? openPage()
          : linkedAt(configPath(config.ns, config.key), formatConfigName(config))
      },
      filter: focusFilter,
      peek: () => {
        if (at === -1) move(Math.max(0, currentRow(configs, at)))
        onPeek(!isPeeking)
      },
      closePeek: () => onPeek(false),
      actions: withChosen((config) => onMenu(formatConfigName(config))),
    }),
    {
      keys: 'e',
      shown: 'e',
      does: 'edit',
      run: withChosen(({ ns, key }) => go(`${configPath(ns, key)}/edit`)),
    },
    { keys: 'd', shown: 'd', does: 'diff of draft and live', run: diff },
  ])
}

function Head({
  environments,
  columns,
}: {
  readonly environments: readonly ListedEnvironment[]
  readonly columns: string
}) {
  return (
    <div
      // Each cell names its column to screen readers itself.
      aria-hidden
      className={cn(
        ROW,
        'sticky top-0 z-10 border-border border-b bg-surface font-medium text-small text-text-2',
      )}
      style={{ height: HEAD_PX, gridTemplateColumns: columns }}
    >
      <span>Prompt</span>
      {environments.map(({ name, requiresTypedName }) => (
        <span key={name} className="inline-flex min-w-0 items-center gap-1">
          {requiresTypedName && <Lock size={11} className="shrink-0" />}
          <span className="truncate">{name}</span>
        </span>
      ))}
      <span>Draft</span>
      <span title="Policies / feedback providers / checks">Rules</span>
      <span>Runtimes</span>
      <span>24 h</span>
      <span>Last release</span>
    </div>
  )
}

interface RowLinkProps {
  readonly config: ListedConfig
  /** 0 for the cell that Tab reaches. */
  readonly tabIndex: number
  readonly isChosen: boolean
  readonly isNarrow: boolean
  readonly wantsFocus: { current: boolean }
}

/** The name of the row; takes the focus once a key chose it and the list has drawn it. */
function RowLink(props: RowLinkProps) {
  const { config, tabIndex, isChosen, isNarrow, wantsFocus } = props
  const link = useRef<HTMLAnchorElement>(null)
  const name = formatConfigName(config)
  useEffect(() => {
    if (!isChosen || !wantsFocus.current) return
    wantsFocus.current = false
    link.current?.focus({ preventScroll: true })
  }, [isChosen, wantsFocus])
  return (
    <Link
      ref={link}
      data-row
      href={configPath(config.ns, config.key)}
      tabIndex={tabIndex}
      title={name}
      className={cn(
        'block min-w-0 truncate font-medium text-link hover:underline',
        isNarrow && 'mr-10',
      )}
    >
      {name}
    </Link>
  )
}

interface CellsProps {
  readonly config: ListedConfig
  readonly chain: readonly string[]
}

const CELL = 'min-w-0 leading-tight'

/** A cell that names its column for screen readers. */
function NamedCell({
  name,
  className,
  children,
}: {
  readonly name: string
  readonly className?: string
  readonly children: ReactNode
}) {
  return (
    <div className={cn(CELL, className)}>
      <span className="sr-only">{name}: </span>
      {children}
    </div>
  )
}

function WideCells({ config, chain, tabIndex }: CellsProps & { readonly tabIndex: number }) {
  return (
    <>
      {chain.map((name) => (
        <NamedCell key={name} name={name}>
          <PointerCell config={config} environment={name} first={chain[0] ?? ''} />
        </NamedCell>
      ))}
      <NamedCell name="Draft">
        <DraftCell config={config} tabIndex={tabIndex} />
      </NamedCell>
      <NamedCell name="Rules">
        <RulesText rules={config.rules} />
      </NamedCell>
      <NamedCell name="Runtimes">
        <RuntimesText runtimes={config.runtimes} />
      </NamedCell>
      <NamedCell name="24 h" className="text-small">
        <DayText day={config.day} />
      </NamedCell>
      <NamedCell name="Last release">
        <LastReleaseCell release={config.lastRelease} tabIndex={tabIndex} />
      </NamedCell>
    </>
  )
}

function NarrowCells({ config, chain }: CellsProps) {
  const first = chain[0] ?? ''
  const live = chain.filter((name) => versionIn(config, name) !== undefined)
  return (
    <>
      <p className="flex min-w-0 gap-x-3 overflow-hidden whitespace-nowrap">
        {live.length === 0 && <span className="text-small text-text-2">not released</span>}
        {live.map((name) => {
          const behind = behindFirst(config, name, first)
          return (
            <span key={name} className="inline-flex items-center gap-1 text-small text-text-2">
              {name} <VersionChip version={versionIn(config, name) ?? 0} />
              {behind > 0 && (
                <span>
                  −{behind}
                  <span className="sr-only"> versions behind {first}</span>
                </span>
              )}
            </span>
          )
        })}
      </p>
      <p className="flex min-w-0 items-center gap-x-3 overflow-hidden whitespace-nowrap text-small text-text-2">
        {config.runtimes.total > 0 && <RuntimesText runtimes={config.runtimes} />}
        {config.day === null ? 'no session in 24 h' : <DayText day={config.day} isLine />}
        {hasChanges(config) && <span>draft {config.draft?.state}</span>}
      </p>
    </>
  )
}
