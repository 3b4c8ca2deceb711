'use client'
import { DEMO_NAMESPACE, isDemoSession } from '@signalbox/wire'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { inferRouterOutputs } from '@trpc/server'
import { Command } from 'cmdk'
import {
  BellRing,
  BookOpen,
  Eye,
  Flag,
  Layers,
  Link2,
  Play,
  Plus,
  Search,
  Settings,
  Undo2,
  Zap,
} from 'lucide-react'
import { useRouter } from 'next/navigation'
import { useTheme } from 'next-themes'
import { useState } from 'react'
import { STORY_TITLES, useDemoRight, useDemoRun } from '@/components/demo/use-demo.ts'
import { copyLink, copyMarkdown, openPage } from '@/components/kit/list/copy-link.ts'
import { configPath } from '@/components/paths/config-path.ts'
import { findPagePath } from '@/components/paths/id-path.ts'
import { useViews } from '@/components/saved-views/use-views.ts'
import { viewPath } from '@/components/saved-views/view-query.ts'
import { useDocsHits } from '@/components/search/use-docs-hits.ts'
import { DESTINATIONS, type Destination, LISTS } from '@/components/shell/destinations.ts'
import { useEnvironmentChoice, useLinkTo } from '@/components/shell/environment-switcher.tsx'
import { useListedActions } from '@/components/shell/page-actions.ts'
import { flipRail } from '@/components/shell/preferences.ts'
import { SETTINGS_PAGES } from '@/components/shell/settings-pages.ts'
import { flipZone } from '@/components/shell/zone-cookie.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { shortId } from '@/components/ui/copy.tsx'
import { DemoTag } from '@/components/ui/demo-tag.tsx'
import { useZone } from '@/components/ui/time.tsx'
import { STORIES } from '@/server/demo/demo-input.ts'
import type { AppRouter } from '@/server/trpc/root.ts'
import { type PaletteEntry, type PaletteGroup, rankGroups } from './palette-groups.ts'
import { PALETTE_HINT, PALETTE_INPUT, PALETTE_NAME } from './palette-look.ts'
import { PalettePopup } from './palette-popup.tsx'

export interface PaletteProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  /** Text typed before the palette was loaded. */
  readonly typed: string
}

/** Maximum number of entries per group; more typed text finds the others. */
const MOST = 20
/** Maximum without typed text, so that recent objects leave room for the pages. */
const MOST_UNASKED = 5
const FIRST_CONFIGS = 50
const MOST_DOCS = 5

export function PaletteDialog({ open, onOpenChange, typed }: PaletteProps) {
  return (
    <PalettePopup name={PALETTE_NAME} open={open} onOpenChange={onOpenChange}>
      <Palette typed={typed} close={() => onOpenChange(false)} />
    </PalettePopup>
  )
}

const MOVES = ['ArrowUp', 'ArrowDown', 'Home', 'End']

/** The best match is selected until the user moves the selection, because a later result may be better. */
function Palette({ typed, close }: { readonly typed: string; readonly close: () => void }) {
  const [text, setText] = useState(typed)
  const [chosen, setChosen] = useState('')
  const [hasMoved, setHasMoved] = useState(false)
  // The searches are always last, because they cover more than the best match.
  const groups = [...rankGroups(useGroups(text), text), ...useDocs(text), ...useSearch(text)]
  const best = groups[0]?.entries[0]?.id ?? ''
  return (
    <Command
      label={PALETTE_NAME}
      shouldFilter={false}
      value={hasMoved ? chosen : best}
      onValueChange={setChosen}
      onKeyDown={({ key }) => setHasMoved((moved) => moved || MOVES.includes(key))}
    >
      <Command.Input
        value={text}
        onValueChange={(typed) => {
          setText(typed)
          setHasMoved(false)
        }}
        placeholder={PALETTE_HINT}
        className={PALETTE_INPUT}
        // The user may already be typing, and the dialog takes the focus one frame later.
        autoFocus
        // Puts the cursor after the text that was passed on.
        onFocus={({ currentTarget }) => currentTarget.setSelectionRange(text.length, text.length)}
      />
      <Command.List
        onPointerMove={() => setHasMoved(true)}
        className="max-h-[50vh] overflow-y-auto p-1"
      >
        <Command.Empty className="px-2 py-3 text-text-2">Nothing found.</Command.Empty>
        {groups.map(({ heading, entries, most = MOST }) => (
          <Command.Group
            key={heading}
            heading={heading}
            className="text-micro text-text-3 [&_[cmdk-group-heading]]:px-2 [&_[cmdk-item]]:text-body [&_[cmdk-item]]:text-text"
          >
            {entries.slice(0, most).map((entry) => (
              <Line key={entry.id} entry={entry} close={close} />
            ))}
          </Command.Group>
        ))}
      </Command.List>
    </Command>
  )
}

function Line({ entry, close }: { readonly entry: PaletteEntry; readonly close: () => void }) {
  const { id, name, icon: Icon, code, isDemo = false, refusal, run } = entry
  return (
    <Command.Item
      value={id}
      disabled={refusal !== undefined}
      onSelect={() => {
        close()
        run()
      }}
      className="flex h-8 items-center gap-2 rounded-control px-2 aria-selected:bg-row-hover"
    >
      {Icon !== undefined && <Icon size={14} aria-hidden className="shrink-0 text-text-3" />}
      <span className={refusal === undefined ? undefined : 'text-text-2'}>{name}</span>
      {code !== undefined && <code className="text-text-3">{code}</code>}
      <DemoTag isDemo={isDemo} />
      {refusal !== undefined && (
        <span className="min-w-0 flex-1 truncate text-small text-text-2" title={refusal}>
          {refusal}
        </span>
      )}
    </Command.Item>
  )
}

function useDocs(text: string): readonly PaletteGroup[] {
  const router = useRouter()
  const hits = useDocsHits(text) ?? []
  const entries = hits.slice(0, MOST_DOCS).map(({ address, title }) => ({
    id: address,
    name: title,
    icon: BookOpen,
    run: () => router.push(address),
  }))
  return entries.length === 0 ? [] : [{ heading: 'Documentation', entries }]
}

function useSearch(text: string): readonly PaletteGroup[] {
  const router = useRouter()
  const q = text.trim()
  if (q === '') return []
  const path = `/search?${new URLSearchParams({ q }).toString()}`
  const name = `Search everything for “${q}”`
  const entries = [{ id: 'search', name, icon: Search, run: () => router.push(path) }]
  return [{ heading: 'Search', entries }]
}

function useGroups(text: string): readonly PaletteGroup[] {
  const router = useRouter()
  const trpc = useTRPC()
  const sessions = useQuery(trpc.sessions.list.queryOptions({ filter: {}, limit: 10 }))
  const configs = useConfigsLike(text)
  const views = useViews()
  const here = useHere()
  const pages = usePages()
  const looks = useLooks()
  const start = useStart()
  const go = (path: string) => router.push(path)
  const typed = text.trim()
  const direct = findPagePath(typed)
  const named = direct === null ? [] : [{ id: typed, name: `Open ${shortId(typed)}`, path: direct }]
  const most = typed === '' ? MOST_UNASKED : MOST
  return [
    {
      heading: 'By its ID',
      entries: named.map(({ path, ...one }) => ({ ...one, isFound: true, run: () => go(path) })),
    },
    here,
    {
      heading: 'Recent sessions',
      most,
      entries: (sessions.data?.rows ?? []).map(({ id, ns, key }) => ({
        id,
        name: `${ns}/${key}`,
        words: `${id} ${ns}/${key}`,
        code: shortId(id),
        isDemo: isDemoSession(id),
        run: () => go(`/sessions/${id}`),
      })),
    },
    {
      heading: 'Configs',
      most,
      entries: configs.map(({ ns, key }) => ({
        id: `${ns}/${key}`,
        name: `${ns}/${key}`,
        isDemo: ns === DEMO_NAMESPACE,
        run: () => go(configPath(ns, key)),
      })),
    },
    {
      heading: 'Saved views',
      most,
      entries: views.map((view) => ({
        id: view.id,
        name: view.name,
        words: `${view.name} ${view.list}`,
        code: view.list,
        run: () => go(viewPath(view)),
      })),
    },
    ...pages,
    start,
    ...looks,
    listRollBacks(configs, go),
  ]
}

/** Offered even after the first steps were dismissed. */
function useStart(): PaletteGroup {
  const router = useRouter()
  const linkTo = useLinkTo()
  const demo = useDemoRun()
  const right = useDemoRight()
  const trpc = useTRPC()
  const stories = useQuery(trpc.demo.stories.queryOptions()).data
  const offered = stories === undefined || stories === null ? [] : STORIES
  return {
    heading: 'Get started',
    entries: [
      {
        id: 'get started',
        name: 'Get started',
        icon: Flag,
        run: () => router.push(linkTo('/get-started')),
      },
      {
        id: 'connect',
        name: 'Connect an agent',
        icon: Plus,
        run: () => router.push(linkTo('/runtimes?connect=claude-code')),
      },
      ...offered.map((story) => ({
        id: `demo ${story}`,
        name: `Run the demo: ${STORY_TITLES[story].toLowerCase()}`,
        icon: Play,
        refusal: right.reason ?? undefined,
        run: () => demo.mutate({ story }),
      })),
    ],
  }
}

function useHere(): PaletteGroup {
  const actions = useListedActions()
  const offered = actions.map((action) => ({
    ...action,
    id: `This page ${action.name}`,
    icon: Zap,
  }))
  const links = [
    { name: 'Copy link', run: () => copyLink(openPage()) },
    { name: 'Copy link as Markdown', run: () => copyMarkdown(openPage()) },
  ]
  return {
    heading: 'This page',
    entries: [...offered, ...links.map((link) => ({ ...link, id: link.name, icon: Link2 }))],
  }
}

const ALERT_PAGES: readonly Omit<Destination, 'key'>[] = [
  { href: '/alerts/rules', name: 'Alert rules', icon: BellRing },
  { href: '/alerts/destinations', name: 'Alert destinations', icon: BellRing },
]

function usePages(): readonly PaletteGroup[] {
  const router = useRouter()
  const linkTo = useLinkTo()
  const go = (href: string) => () => router.push(linkTo(href))
  return [
    {
      heading: 'Go to',
      entries: [...DESTINATIONS, ...LISTS, ...ALERT_PAGES].map(
        ({ href, name, icon, words = '' }) => ({
          id: href,
          name,
          // People look for Rollouts by what it lists.
          words: `${name} ${href} ${words}`,
          icon,
          run: go(href),
        }),
      ),
    },
    {
      heading: 'Settings',
      entries: SETTINGS_PAGES.map(({ href, name }) => ({
        id: `settings ${href}`,
        name: `Settings › ${name}`,
        icon: Settings,
        run: go(href),
      })),
    },
  ]
}

const THEMES = [
  { value: 'light', name: 'Theme: light' },
  { value: 'dark', name: 'Theme: dark' },
  { value: 'system', name: 'Theme: system' },
] as const

/** Current values are not offered. */
function useLooks(): readonly PaletteGroup[] {
  const environments = useEnvironmentChoice()
  const { theme, setTheme } = useTheme()
  const zone = useZone()
  return [
    {
      heading: 'Environment',
      entries: environments.options
        .filter(({ value }) => value !== environments.value)
        .map(({ value, label }) => ({
          id: `environment ${value}`,
          name: `Switch environment: ${label}`,
          icon: Layers,
          run: () => environments.choose(value),
        })),
    },
    {
      heading: 'Appearance',
      entries: [
        ...THEMES.filter(({ value }) => value !== theme).map(({ value, name }) => ({
          id: name,
          name,
          icon: Eye,
          run: () => setTheme(value),
        })),
        { id: 'rail', name: 'Collapse or expand the rail', icon: Eye, run: flipRail },
        {
          id: 'zone',
          name: 'Switch between UTC and your own time zone',
          icon: Eye,
          run: () => flipZone(zone),
        },
      ],
    },
  ]
}

/** The first configs by name, those of the demo last, then those that contain the last typed word, which may be part of "Roll back dev team/coder". */
function useConfigsLike(typed: string) {
  const trpc = useTRPC()
  const text = typed.trim().split(/\s+/).at(-1)?.slice(0, 200) ?? ''
  const first = useQuery(trpc.configs.list.queryOptions({ filter: {}, limit: FIRST_CONFIGS })).data
  const isAll = first !== undefined && first.nextCursor === null
  const found = useQuery({
    ...trpc.configs.list.queryOptions({ filter: { q: text }, limit: 20 }),
    enabled: text !== '' && !isAll,
    placeholderData: keepPreviousData,
  }).data
  const all = [...((text === '' ? null : found?.rows) ?? []), ...(first?.rows ?? [])]
  const configs = [...new Map(all.map((config) => [config.id, config])).values()]
  return configs.sort((a, b) => Number(a.ns === DEMO_NAMESPACE) - Number(b.ns === DEMO_NAMESPACE))
}

type Configs = inferRouterOutputs<AppRouter>['configs']['list']['rows']

/** Each entry opens its dialog; none rolls back from the palette. */
function listRollBacks(configs: Configs, go: (path: string) => void): PaletteGroup {
  const entries = configs.flatMap(({ ns, key, pointers }) =>
    pointers
      .filter(({ hasEarlier }) => hasEarlier)
      .map(({ environment, version }) => {
        const name = `Roll back ${environment}: ${ns}/${key} from v${version}…`
        const path = `${configPath(ns, key)}/versions?move=rollback:${environment}:previous`
        return { id: name, name, icon: Undo2, run: () => go(path) }
      }),
  )
  return { heading: 'Roll back', entries }
}
