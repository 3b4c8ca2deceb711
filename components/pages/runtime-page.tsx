'use client'

import { countText } from '@signalbox/core/analysis'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { inferRouterOutputs } from '@trpc/server'
import { RefreshCw } from 'lucide-react'
import { harnessText } from '@/components/enforcement/harness-text.ts'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { RuntimeCapabilities } from '@/components/runtimes/runtime-capabilities.tsx'
import {
  bundleText,
  STATE_LOOK,
  skewText,
  startupPolicyText,
  stateText,
  thresholdText,
} from '@/components/runtimes/runtime-words.ts'
import { PageHeader } from '@/components/shell/page-header.tsx'
import { useRight } from '@/components/shell/use-right.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { LinkButton } from '@/components/ui/button.tsx'
import { Card, CardHeader, KeyValueList } from '@/components/ui/card.tsx'
import { CopyButton, IdChip } from '@/components/ui/copy.tsx'
import { DemoTag } from '@/components/ui/demo-tag.tsx'
import { Link } from '@/components/ui/link.tsx'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { StatusIcon, StatusText } from '@/components/ui/status-badge.tsx'
import { Cell, HeadCell, Row, Table } from '@/components/ui/table.tsx'
import { Ago, Timestamp, useZone } from '@/components/ui/time.tsx'
import { toast } from '@/components/ui/toast.tsx'
import type { AppRouter } from '@/server/trpc/root.ts'

type Detail = inferRouterOutputs<AppRouter>['runtimes']['get']

export function RuntimePage({ id }: { readonly id: string }) {
  const trpc = useTRPC()
  const query = useQuery({ ...trpc.runtimes.get.queryOptions({ id }), refetchInterval: 5000 })
  useReadOnChange([{ kind: 'runtime', id }, { kind: 'release' }], query)
  if (query.isPending) return <SkeletonRows />
  if (query.isError)
    return (
      <ErrorState
        what="This runtime could not be loaded."
        why={`${query.error.message} Runtimes are listed for 7 days after their last report.`}
        onRetry={() => void query.refetch()}
      />
    )
  return <RuntimeView runtime={query.data} />
}

function RuntimeView({ runtime }: { readonly runtime: Detail }) {
  const zone = useZone()
  return (
    <>
      <PageHeader
        above={
          <Link href="/runtimes" className="text-link hover:underline">
            Runtimes
          </Link>
        }
        title={
          <>
            {runtime.name} <DemoTag runtime={runtime.name} />
          </>
        }
        facts={
          <>
            <span title={thresholdText(runtime.thresholds)}>
              <StatusText status={STATE_LOOK[runtime.state]}>{stateText(runtime, zone)}</StatusText>
            </span>
            <span>
              · {runtime.environment} · last report <Ago at={runtime.lastSeenAt} />
            </span>
          </>
        }
        actions={<Actions runtime={runtime} />}
      />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 p-4 lg:grid-cols-2">
        <Versions runtime={runtime} />
        <Process runtime={runtime} />
        <RuntimeCapabilities capabilities={runtime.capabilities} />
      </div>
    </>
  )
}

function Actions({ runtime }: { readonly runtime: Detail }) {
  const trpc = useTRPC()
  const right = useRight('editor')
  const refresh = useMutation(
    trpc.runtimes.refresh.mutationOptions({
      onSuccess: () => void toast('Requested. The next report appears here automatically.'),
      onError: (error) => void toast(error.message),
    }),
  )
  const { thresholds: _thresholds, ...diagnostics } = runtime
  const reason =
    right.reason ?? (runtime.state === 'disconnected' ? 'The runtime is not connected.' : null)
  return (
    <>
      <span className="inline-flex items-center gap-0.5 text-small text-text-2">
        Diagnostics
        <CopyButton text={JSON.stringify(diagnostics, null, 2)} label="Copy diagnostics" />
      </span>
      <LinkButton href={`/sessions?runtime=${runtime.id}`}>Open its sessions</LinkButton>
      <ReasonedButton
        isAllowed={right.isAllowed && reason === null}
        reason={reason}
        disabled={refresh.isPending}
        onClick={() => refresh.mutate({ id: runtime.id })}
      >
        <RefreshCw size={14} aria-hidden />
        Request refresh
      </ReasonedButton>
    </>
  )
}

function Versions({ runtime }: { readonly runtime: Detail }) {
  const { rejectedReason, rejectedRevision } = runtime
  return (
    <Card className="lg:col-span-2">
      <CardHeader
        title="Configs"
        aside={
          <span title="The bundle holds all released configs of the environment. Each release adds a revision.">
            Bundle: {bundleText(runtime)}
          </span>
        }
      />
      {rejectedReason !== null && (
        <p className="flex gap-2 border-border border-b px-3 py-2">
          <StatusIcon status="behind" />
          <span className="min-w-0 break-words text-deny-fg">
            Rejected revision {rejectedRevision ?? '–'} of the bundle: {rejectedReason}
          </span>
        </p>
      )}
      <Table isStacked>
        <thead>
          <tr>
            <HeadCell>Config</HeadCell>
            <HeadCell>Applied</HeadCell>
            <HeadCell>Expected</HeadCell>
            <HeadCell>Behind</HeadCell>
          </tr>
        </thead>
        <tbody>
          {runtime.configs.map(({ prompt, applied, expected, behind }) => (
            <Row key={prompt}>
              <Cell title={prompt}>
                <code>{prompt}</code>
              </Cell>
              <Cell label="Applied" className="font-mono text-mono">
                {applied === null ? '–' : `v${applied}`}
              </Cell>
              <Cell label="Expected" className="font-mono text-mono">
                {expected === null ? 'none released' : `v${expected}`}
              </Cell>
              <Cell label="Behind">{behind === 0 ? '–' : `${behind} behind`}</Cell>
            </Row>
          ))}
        </tbody>
      </Table>
      {runtime.configs.length === 0 && (
        <p className="px-3 py-2 text-text-2">It registered no prompts.</p>
      )}
    </Card>
  )
}

const SOURCE_WORDS: Readonly<Record<string, string>> = {
  server: 'from the server',
  disk: 'from the disk of the runtime; no response from the server yet',
  bootstrap: 'built into the program',
}

function Process({ runtime }: { readonly runtime: Detail }) {
  const { name, version } = runtime.harness
  const harness =
    typeof name === 'string'
      ? harnessText(typeof version === 'string' ? { name, version } : { name })
      : '–'
  const items = [
    { name: 'ID', value: <IdChip id={runtime.id} label="Copy the runtime ID" /> },
    { name: 'Agent', value: harness },
    { name: 'SDK', value: runtime.sdkVersion },
    { name: 'Config source', value: SOURCE_WORDS[runtime.appliedSource ?? ''] ?? 'no config' },
    {
      name: 'Applied',
      value: runtime.appliedAt === null ? '–' : <Timestamp at={runtime.appliedAt} style="second" />,
    },
    { name: 'Registered', value: <Timestamp at={runtime.registeredAt} style="second" /> },
    { name: 'Running sessions', value: String(runtime.liveSessions) },
    { name: 'Events not sent yet', value: countText(runtime.spooledEvents) },
    { name: 'Clock', value: skewText(runtime.clockSkewMs) },
    { name: 'When unreachable', value: <Unreached runtime={runtime} /> },
  ]
  return (
    <Card>
      <CardHeader title="Process" />
      <KeyValueList items={items} className="px-3 py-2" />
    </Card>
  )
}

function Unreached({ runtime }: { readonly runtime: Detail }) {
  const { state, posture, lastSeenAt, stoppedAt } = runtime
  return (
    <>
      {startupPolicyText(posture)}
      {stoppedAt !== null && (
        <>
          {' '}
          Shut down cleanly <Ago at={stoppedAt} />.
        </>
      )}
      {stoppedAt === null && (state === 'stale' || state === 'disconnected') && (
        <>
          {' '}
          No report since <Timestamp at={lastSeenAt} style="second" />. If the process still runs,
          this applies now.
        </>
      )}
    </>
  )
}
