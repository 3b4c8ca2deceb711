// The result is kept, so that its address can be sent to another editor.
'use client'

import { plural } from '@signalbox/core/analysis'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Search } from 'lucide-react'
import { ConfigCrumbs } from '@/components/configs/config-crumbs.tsx'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { PreventionFindings } from '@/components/prevention/prevention-findings.tsx'
import { SessionCrumbs } from '@/components/sessions/session-crumbs.tsx'
import { PageHeader } from '@/components/shell/page-header.tsx'
import { useRight } from '@/components/shell/use-right.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Link } from '@/components/ui/link.tsx'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { SearchProgress } from '@/components/ui/search-progress.tsx'
import { ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import { toast } from '@/components/ui/toast.tsx'
import type { PreventionRow } from '@/server/prevention/preventions.sql.ts'

interface Marked {
  readonly sessionId: string
  /** 0: the session is an example, which no agent ran. */
  readonly seq: number
}

interface Prompt {
  readonly ns: string
  readonly key: string
}

interface PageProps extends Marked {
  /** Prompt of an example. Absent: an agent ran the session. */
  readonly prompt?: Prompt
}

/** A search can end between the read of the page by the server and the first notification that the page receives. */
const LOOK_EVERY_MS = 2_000

export function PreventionPage({ prompt, ...marked }: PageProps) {
  const trpc = useTRPC()
  const query = useQuery({
    ...trpc.prevention.find.queryOptions(marked),
    refetchInterval: ({ state }) => (state.data?.finishedAt === null ? LOOK_EVERY_MS : false),
  })
  useReadOnChange({ kind: 'prevention', id: marked.sessionId }, query)
  const { data, error, refetch } = query
  return (
    <>
      <Header {...marked} prompt={prompt ?? null} found={data ?? null} />
      {data === undefined && error !== null ? (
        <ErrorState
          what="The search could not be loaded."
          why={error}
          onRetry={() => void refetch()}
        />
      ) : data === undefined ? (
        <SkeletonRows />
      ) : (
        <Body {...marked} found={data} />
      )}
    </>
  )
}

interface HeaderProps extends Marked {
  readonly prompt: Prompt | null
  readonly found: PreventionRow | null
}

function Header({ sessionId, seq, prompt, found }: HeaderProps) {
  const finishedAt = found?.status === 'done' ? found.finishedAt : null
  return (
    <PageHeader
      above={
        prompt !== null ? (
          <nav aria-label="Breadcrumb">
            <ConfigCrumbs ns={prompt.ns} name={prompt.key} />
          </nav>
        ) : (
          <SessionCrumbs id={sessionId}>
            <Link
              className="font-mono text-link text-mono"
              href={`/sessions/${sessionId}?e=${seq}`}
            >
              #{seq}
            </Link>
          </SessionCrumbs>
        )
      }
      title={prompt === null ? `Prevent #${seq}` : 'Prevent the example'}
      facts={
        <p className="text-small">
          {prompt === null
            ? 'Changes to the rules that would have refused this event and refuse nothing in good sessions, best first.'
            : 'Changes to the rules that refuse the example that answers the question and nothing in good sessions, best first.'}
          {finishedAt === null ? null : (
            <>
              {' '}
              Searched {plural(found?.findings?.goodSessions ?? 0, 'good session')} on{' '}
              <Timestamp at={finishedAt} style="second" />.
            </>
          )}
        </p>
      }
      actions={found?.status === 'done' ? <SearchButton {...{ sessionId, seq }} isAgain /> : null}
    />
  )
}

function SearchButton({ isAgain, ...marked }: Marked & { readonly isAgain: boolean }) {
  const trpc = useTRPC()
  const queries = useQueryClient()
  const right = useRight('editor')
  const start = useMutation(
    trpc.prevention.start.mutationOptions({
      onError: ({ message }) => toast(message),
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.prevention.pathKey() }),
    }),
  )
  return (
    <ReasonedButton
      {...right}
      variant={isAgain ? 'secondary' : 'primary'}
      disabled={start.isPending}
      onClick={() => start.mutate(marked)}
    >
      <Search aria-hidden size={14} />
      {isAgain ? 'Search again' : 'Find a change'}
    </ReasonedButton>
  )
}

function Body({ found, ...marked }: Marked & { readonly found: PreventionRow | null }) {
  if (found === null) return <Start {...marked} found={null} />
  const { id, status, findings } = found
  const isRunning = status === 'queued' || status === 'running'
  return (
    <>
      {isRunning ? <Progress found={found} /> : null}
      {isRunning || status === 'done' ? null : <Start {...marked} found={found} />}
      {findings === null ? null : <PreventionFindings {...{ id, findings, isRunning }} />}
    </>
  )
}

function Start({ found, ...marked }: Marked & { readonly found: PreventionRow | null }) {
  return (
    <section className="flex flex-col items-start gap-3 p-4">
      {found?.status === 'failed' ? (
        <p role="alert" className="text-deny-fg">
          {found.error}
        </p>
      ) : null}
      <p className="max-w-prose text-text-2">
        {found?.status === 'cancelled' ? 'The search was canceled. ' : ''}
        Each change is tested on the good sessions of the prompt: those labeled as good, and those
        that completed under full enforcement. The draft stays as it is until you add a change.
      </p>
      <SearchButton {...marked} isAgain={found?.findings != null} />
    </section>
  )
}

function Progress({ found }: { readonly found: PreventionRow }) {
  const trpc = useTRPC()
  const queries = useQueryClient()
  const cancel = useMutation(
    trpc.prevention.cancel.mutationOptions({
      onError: ({ message }) => toast(message),
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.prevention.pathKey() }),
    }),
  )
  const { sessionsFound: all, sessionsRead: read } = found
  const text =
    all === null
      ? 'The search is starting.'
      : read < all
        ? `Read ${read.toLocaleString('en')} of ${all.toLocaleString('en')} good sessions.`
        : 'Trying changes.'
  return (
    <SearchProgress
      {...{ text, read, all }}
      label="Good sessions read"
      isCanceling={cancel.isPending}
      onCancel={() => cancel.mutate({ id: found.id })}
    />
  )
}
