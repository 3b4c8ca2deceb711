'use client'
import { skipToken, useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { ListTodo } from 'lucide-react'
import { usePathname } from 'next/navigation'
import { type ReactNode, useEffect, useSyncExternalStore } from 'react'
import { ReturnPlace } from '@/components/kit/list/return-place.ts'
import { useNotifications } from '@/components/live/use-notifications.ts'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { CommandPalette } from '@/components/palette/command-palette.tsx'
import { AccountMenu } from '@/components/shell/account-menu.tsx'
import { ConnectionState } from '@/components/shell/connection-state.tsx'
import { DESTINATIONS, type Destination, isCurrent } from '@/components/shell/destinations.ts'
import {
  EnvironmentMenu,
  EnvironmentSwitcher,
  useEnvironment,
  useLinkTo,
} from '@/components/shell/environment-switcher.tsx'
import { STEP_COUNT, useStepsDone } from '@/components/shell/first-steps.ts'
import { ProjectInAddress, ProjectMenu, ProjectSwitcher } from '@/components/shell/project.tsx'
import { Shortcuts } from '@/components/shell/shortcuts.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { useLazyPopups } from '@/components/ui/lazy-popup.tsx'
import { Link } from '@/components/ui/link.tsx'
import { SkipLink } from '@/components/ui/skip-link.tsx'
import { MoreSheet } from './more-sheet.tsx'

export function AppFrame({
  search,
  help,
  isStartDismissed,
  children,
}: {
  /** Rendered by the server, so that no page loads code for it. */
  readonly search: ReactNode
  readonly help: ReactNode
  readonly isStartDismissed: boolean
  readonly children: ReactNode
}) {
  const start = useStart(isStartDismissed)
  useLazyPopups()
  return (
    <div className="flex min-h-dvh flex-col sm:flex-row">
      <SkipLink />
      <Rail search={search} help={help} start={start} />
      <div className="flex min-w-0 flex-1 flex-col sm:h-dvh print:h-auto">
        <main
          id="main"
          tabIndex={-1}
          className="flex min-h-0 min-w-0 flex-1 flex-col pb-14 outline-none sm:overflow-y-auto sm:pb-0 print:overflow-visible print:pb-0"
        >
          {children}
        </main>
      </div>
      <BottomBar start={start} />
      <CommandPalette />
      <ProjectInAddress />
      <ReturnPlace />
      <Shortcuts />
    </div>
  )
}

const neverChanges = () => () => undefined

/** False while the server renders and during hydration. */
function useIsTakenOver(): boolean {
  return useSyncExternalStore(
    neverChanges,
    () => true,
    () => false,
  )
}

/** Undefined: no call has waited yet. */
let attention: Promise<typeof import('./attention.ts')> | undefined

/** Follows the notifications, because an agent waits for each call. */
function useWaitingCalls(isEnabled: boolean): number {
  const trpc = useTRPC()
  const environment = useEnvironment()
  const input = environment === undefined ? {} : { environment }
  const query = useQuery({
    ...trpc.callApprovals.count.queryOptions(input),
    refetchInterval: 15_000,
    enabled: isEnabled,
  })
  useReadOnChange({ kind: 'approval' }, query)
  // Other figures wait until the tab is visible; this one calls a user to it.
  useNotifications({ kind: 'approval' }, () => {
    if (document.hidden) void query.refetch()
  })
  const count = query.data ?? 0
  useEffect(() => {
    if (count > 0) attention ??= import('./attention.ts')
    void attention?.then(({ showWaiting }) => showWaiting(count))
  }, [count])
  return count
}

function useUnreadAlerts(isEnabled: boolean): number {
  const trpc = useTRPC()
  const query = useQuery({
    ...trpc.alerts.unread.queryOptions(),
    refetchInterval: 15_000,
    enabled: isEnabled,
  })
  useReadOnChange({ kind: 'alert' }, query)
  return query.data ?? 0
}

/** The running figure of the Overview omits the same: nothing was enforced in imported sessions. */
const NOT_IMPORTED = {
  kind: 'text' as const,
  field: 'imported',
  words: ['no'],
  isNegated: false,
}

/** Follows the notifications, so that it agrees with the lists. */
function useRunningCount(isEnabled: boolean): number {
  const trpc = useTRPC()
  const filter = { status: 'running' as const, terms: [NOT_IMPORTED] }
  const query = useQuery({
    ...trpc.sessions.total.queryOptions({ filter }),
    refetchInterval: 15_000,
    enabled: isEnabled,
  })
  useReadOnChange({ kind: 'session' }, query)
  return query.data ?? 0
}

function useCounts(): Readonly<Record<string, string>> {
  const trpc = useTRPC()
  const isTakenOver = useIsTakenOver()
  // The Overview prefetches this query with its page. If the rail asked first, even with a query that waits, the page's first HTML
  // would lack the answer, because prefetched data does not fill a query that already exists.
  const { data: needs } = useQuery({
    ...trpc.overview.attention.queryOptions(isTakenOver ? {} : skipToken),
    refetchInterval: 15_000,
  })
  const { data: work } = useQuery({
    ...trpc.releases.work.queryOptions(),
    refetchInterval: 15_000,
    enabled: isTakenOver,
  })
  const running = useRunningCount(isTakenOver)
  const calls = useWaitingCalls(isTakenOver)
  const alerts = useUnreadAlerts(isTakenOver)
  const runtimes = needs?.runtimes ?? 0
  const pending = work?.count ?? 0
  return {
    '/alerts': alerts > 0 ? `${alerts} firing` : '',
    '/call-approvals': calls > 0 ? `${calls} waiting` : '',
    '/releases': pending > 0 ? `${pending} to do` : '',
    '/sessions': running > 0 ? `${running} running` : '',
    '/runtimes': runtimes > 0 ? `${runtimes} behind` : '',
  }
}

const START: Destination = { href: '/get-started', name: 'Get started', icon: ListTodo, key: '' }

/** `1 of 3`; null: Get started is skipped, completed or not loaded. */
function useStart(isDismissed: boolean): string | null {
  const isTakenOver = useIsTakenOver()
  const done = useStepsDone(isDismissed || !isTakenOver)
  return done === null ? null : `${done} of ${STEP_COUNT}`
}

interface Start {
  readonly start: string | null
}

function Rail({ search, help, start }: Start & Record<'search' | 'help', ReactNode>) {
  const path = usePathname()
  const linkTo = useLinkTo()
  const counts = { ...useCounts(), [START.href]: start ?? '' }
  const pages = start === null ? DESTINATIONS : [START, ...DESTINATIONS]
  return (
    <nav
      aria-label="Main"
      className="no-print sticky top-0 z-10 hidden h-dvh w-[48px] shrink-0 flex-col gap-2 border-border border-r bg-surface p-2 sm:flex rail:w-[200px]"
    >
      <div className="hidden flex-col gap-1 rail:flex">
        <ProjectSwitcher />
        <EnvironmentSwitcher />
      </div>
      <div className="flex flex-col items-center gap-1 rail:hidden">
        <ProjectMenu />
        <EnvironmentMenu />
      </div>
      {search}
      <ul className="flex flex-col gap-0.5">
        {pages.map((destination) => {
          const { href, name, icon: Icon } = destination
          const current = isCurrent(destination, path)
          return (
            <li key={href}>
              <Link
                href={linkTo(href)}
                aria-current={current ? 'page' : undefined}
                title={name}
                className={clsx(
                  'flex h-7 items-center justify-center gap-2 rounded-control px-2 rail:justify-start',
                  current ? 'bg-surface-3 font-medium text-text' : 'text-text-2 hover:bg-surface-2',
                )}
              >
                <Icon size={16} className="shrink-0" aria-hidden />
                <span className="hidden flex-1 rail:inline">{name}</span>
                <span className="hidden text-micro text-text-3 rail:inline">{counts[href]}</span>
              </Link>
            </li>
          )
        })}
      </ul>
      <div className="mt-auto flex flex-col gap-2">
        {help}
        <ConnectionState isWordHidden />
        <AccountMenu />
      </div>
    </nav>
  )
}

const IN_MORE = [
  '/call-approvals',
  '/alerts',
  '/releases',
  '/runtimes',
  '/analytics',
  '/settings/keys',
]
const NARROW = DESTINATIONS.filter(({ href }) => !IN_MORE.includes(href))
const MORE = DESTINATIONS.filter(({ href }) => IN_MORE.includes(href))

/** On a phone, Get started takes the place of the Overview, which moves to More. */
function BottomBar({ start }: Start) {
  const path = usePathname()
  const linkTo = useLinkTo()
  const counts = useCounts()
  const [overview, ...others] = NARROW
  const isStart = start !== null && overview !== undefined
  const narrow = isStart ? [START, ...others] : NARROW
  const more = isStart ? [overview, ...MORE] : MORE
  return (
    <nav
      aria-label="Main"
      className="no-print fixed inset-x-0 bottom-0 z-20 grid grid-cols-5 border-border border-t bg-surface sm:hidden"
    >
      {narrow.map((destination) => {
        const { href, name, icon: Icon } = destination
        const current = isCurrent(destination, path)
        return (
          <Link
            key={href}
            href={linkTo(href)}
            aria-current={current ? 'page' : undefined}
            className={clsx(
              'flex h-14 flex-col items-center justify-center gap-0.5 text-micro',
              current ? 'font-medium text-text' : 'text-text-2',
            )}
          >
            <Icon size={18} aria-hidden />
            {name}
          </Link>
        )
      })}
      <MoreSheet pages={more} linkTo={linkTo} counts={counts} />
    </nav>
  )
}
