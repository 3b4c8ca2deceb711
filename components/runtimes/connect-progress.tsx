'use client'
import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { CircleCheck, CircleDashed } from 'lucide-react'
import { withPrefix } from '@/components/paths/prefix.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { LinkButton } from '@/components/ui/button.tsx'
import { Link } from '@/components/ui/link.tsx'
import { StatusIcon } from '@/components/ui/status-badge.tsx'
import { useNow } from '@/components/ui/time.tsx'
import type { FirstSteps } from '@/server/overview/first-steps.sql.ts'
import type { ConnectAgent } from './connect-agents.ts'
import { type MadeKey, useMadeKey } from './made-key.ts'

const LOOK_EVERY_MS = 2_000
const PATIENT_MS = 120_000

export function ConnectProgress({ agent }: { readonly agent: ConnectAgent }) {
  const trpc = useTRPC()
  const madeKey = useMadeKey()
  const { data: steps } = useQuery(trpc.overview.steps.queryOptions())
  if (madeKey === null) {
    return (
      <p className="rounded-b-card border-border border-t bg-surface-2 p-3 text-text-2 max-sm:border-t-0 max-sm:border-b">
        {steps?.hasKey === true ? (
          <>
            You have a key, which was shown only once. Its runtimes are listed under{' '}
            <Link href="/runtimes" className="text-link">
              Runtimes
            </Link>
            . To connect another agent, create another key. Its first call will appear here.
          </>
        ) : (
          'Create a key to start. Its first call will appear here.'
        )}
      </p>
    )
  }
  return <KeyProgress key={agent.value} agent={agent} madeKey={madeKey} />
}

function KeyProgress({
  agent,
  madeKey,
}: {
  readonly agent: ConnectAgent
  readonly madeKey: MadeKey
}) {
  const trpc = useTRPC()
  const now = useNow()
  const { data: steps } = useQuery({
    ...trpc.overview.steps.queryOptions({
      keyId: madeKey.id,
      ...(agent.way === 'hooks' && { harness: agent.value }),
    }),
    refetchInterval: ({ state }) => (state.data?.hasCalled === true ? false : LOOK_EVERY_MS),
  })
  if (steps === undefined) return <div className="h-20 border-border border-t bg-surface-2" />
  const { hasCalled, firstCall } = steps
  const isLate = now !== null && now - madeKey.madeAt > PATIENT_MS
  const isCautious = isLate && !hasCalled
  return (
    <div
      className={clsx(
        'flex items-start gap-3 rounded-b-card border-border border-t p-3 max-sm:rounded-none max-sm:border-t-0 max-sm:border-b',
        isCautious ? 'bg-warning-bg' : 'bg-surface-2',
      )}
    >
      <WaitMark isConnected={hasCalled} isCautious={isCautious} />
      <div className="flex min-w-0 flex-1 flex-col gap-1">
        <p role="status" className="font-medium">
          {hasCalled
            ? `Connected.${firstCall === null ? '' : ` First call: ${firstCall.tool}, ${firstCall.verdict}.`}`
            : `Waiting for the first call ${callerWords(agent)}…`}
        </p>
        <ul className="flex flex-wrap gap-x-3.5 gap-y-0.5 text-small text-text-2">
          {listProgress(agent, steps).map(({ name, isDone }) => (
            <li key={name} className="inline-flex items-center gap-1">
              {isDone ? (
                <CircleCheck size={13} className="text-allow-mark" role="img" aria-label="done" />
              ) : (
                <CircleDashed
                  size={13}
                  className="text-neutral-mark"
                  role="img"
                  aria-label="to do"
                />
              )}
              {name}
            </li>
          ))}
        </ul>
        {hasCalled ? null : (
          <Advice agent={agent} missing={isCautious ? missingStep(agent, steps) : null} />
        )}
      </div>
      {firstCall === null ? null : (
        <LinkButton href={`/sessions/${firstCall.session}`}>Open session</LinkButton>
      )}
    </div>
  )
}

function WaitMark({
  isConnected,
  isCautious,
}: {
  readonly isConnected: boolean
  readonly isCautious: boolean
}) {
  return (
    <span className="mt-0.5 flex size-4 shrink-0 items-center justify-center" aria-hidden>
      {isConnected || isCautious ? (
        <StatusIcon status={isConnected ? 'allowed' : 'warning'} size={16} />
      ) : (
        <span className="live-dot size-2 rounded-full bg-link" />
      )}
    </span>
  )
}

/** `missing`: the step that nothing was seen of for two minutes; null: it is too early to tell. */
function Advice({
  agent: { way },
  missing,
}: {
  readonly agent: ConnectAgent
  readonly missing: string | null
}) {
  return (
    <p className={clsx('text-small', missing === null ? 'text-text-2' : 'text-warning-fg')}>
      {missing ?? 'Start the agent as usual. Nothing after 2 minutes?'}{' '}
      {way === 'hooks' && (
        <>
          Run <code>signalbox doctor</code> or{' '}
        </>
      )}
      <a href={withPrefix('/docs/troubleshooting')} className="text-link hover:underline">
        {way === 'hooks' ? 'see common problems' : 'See common problems'}
      </a>
      .
    </p>
  )
}

const usesDaemon = ({ way }: ConnectAgent): boolean => ['hooks', 'python', 'http'].includes(way)

function callerWords({ way, label }: ConnectAgent): string {
  if (way === 'hooks') return `from ${label}`
  if (way === 'http') return 'over HTTP'
  return way === 'mcp' ? 'from your MCP client' : 'from your agent'
}

function listProgress(agent: ConnectAgent, steps: FirstSteps) {
  const host = usesDaemon(agent) ? 'Daemon' : 'Runtime'
  const { runtime, session, hasCalled } = steps
  return [
    { name: 'Key created', isDone: steps.hasKey },
    {
      name: runtime === null ? `${host} connected` : `${host} connected from ${runtime.name}`,
      isDone: runtime !== null,
    },
    ...(agent.way === 'hooks' ? [{ name: 'First hook received', isDone: session !== null }] : []),
    { name: 'First call', isDone: hasCalled },
  ]
}

function missingStep(agent: ConnectAgent, { runtime, session }: FirstSteps): string {
  if (runtime === null) {
    return usesDaemon(agent)
      ? 'No daemon connected with this key. Check that the daemon of step 2 is still running.'
      : 'Nothing connected with this key. Check that the agent runs with it.'
  }
  if (session === null) {
    return agent.way === 'hooks'
      ? 'The daemon is connected, but no hook reached it. Restart the agent in the folder where you added the hooks.'
      : 'It is connected, but no session started. Check that the agent opens one.'
  }
  return 'A session started, but the agent called no tool. Give it a task that needs one.'
}
