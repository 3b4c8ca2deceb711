'use client'

import { countText, plural } from '@signalbox/core/analysis'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { TypedConfirm } from '@/components/kit/form/lazy-typed-confirm.ts'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { Refusal } from '@/components/shell/refusal.tsx'
import { SettingsFrame } from '@/components/shell/settings-frame.tsx'
import { useRight } from '@/components/shell/use-right.ts'
import { useTRPC, useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { lazyDialog } from '@/components/ui/lazy-popup.tsx'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { ShownOnce } from '@/components/ui/shown-once.tsx'
import { EmptyState, ErrorLine, ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { StatusText } from '@/components/ui/status-badge.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { ListedStream } from '@/server/webhook-streams/streams.ts'

const StreamDialog = lazyDialog(() =>
  import('./stream-dialog.tsx').then((module) => module.StreamDialog),
)

export function WebhookStreams() {
  const trpc = useTRPC()
  const query = useQuery(trpc.webhookStreams.list.queryOptions())
  useReadOnChange({ kind: 'stream' }, query)
  const right = useRight('admin')
  const [isAdding, setAdding] = useState(false)
  return (
    <SettingsFrame facts={query.data && describeStreams(query.data)}>
      <Card>
        <CardHeader
          title="Webhook streams"
          aside="where the audit log and decisions are sent"
          actions={
            <ReasonedButton {...right} variant="primary" onClick={() => setAdding(true)}>
              <Plus size={14} aria-hidden />
              New stream
            </ReasonedButton>
          }
        />
        {right.reason !== null && <Refusal>{right.reason}</Refusal>}
        {query.isPending && right.reason === null && <SkeletonRows />}
        {query.isError && right.reason === null && (
          <ErrorState
            what="The webhook streams could not be loaded."
            why={query.error}
            onRetry={() => void query.refetch()}
          />
        )}
        {query.data?.length === 0 && (
          <EmptyState title="No webhook streams yet.">
            A stream sends the audit log, or denied calls and stops, to a program of yours: signed,
            numbered and in order.
          </EmptyState>
        )}
        {query.data !== undefined && query.data.length > 0 && (
          <ul aria-label="Webhook streams">
            {query.data.map((stream) => (
              <StreamRow key={stream.id} stream={stream} />
            ))}
          </ul>
        )}
      </Card>
      {isAdding ? <StreamDialog changed={null} onClose={() => setAdding(false)} /> : null}
    </SettingsFrame>
  )
}

function describeStreams(streams: readonly ListedStream[]): string {
  if (streams.length === 0) return 'No stream sends the audit log or decisions.'
  const aside = streams.filter(({ asideAt }) => asideAt !== null).length
  const accepted = streams.reduce((sum, { number }) => sum + number, 0)
  return [
    plural(streams.length - aside, 'active stream'),
    aside === 0 ? '' : `, ${countText(aside)} put aside`,
    `; ${plural(accepted, 'record')} ${accepted === 1 ? 'was' : 'were'} accepted.`,
  ].join('')
}

function sourceText({ audit, decisions, environment }: ListedStream): string {
  const refused = `denied calls and stops of ${environment ?? 'every environment'}`
  if (!audit) return refused
  return decisions ? `the audit log, and ${refused}` : 'the audit log'
}

function StreamRow({ stream }: { readonly stream: ListedStream }) {
  const { id, name, to, number, skipped, asideAt } = stream
  const { act, secret, hideSecret, tried } = useStreamActs(id)
  const [asked, setAsked] = useState<'change' | 'remove' | null>(null)
  const close = (): void => setAsked(null)
  return (
    <li className="flex flex-col gap-1 border-border border-b px-4 py-3 last:border-b-0">
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5">
        <span className="break-all font-medium">{name}</span>
        <span className="break-all text-text-2">{to}</span>
        <StreamState stream={stream} />
      </div>
      <p className="break-words text-text-2">
        Sends {sourceText(stream)}. {plural(number, 'record')} accepted.
        {skipped === 0 ? '' : ` ${plural(skipped, 'decision')} expired before being sent.`}
      </p>
      <div className="flex flex-wrap items-center gap-2 pt-1">
        {asideAt === null ? null : (
          <Button variant="primary" disabled={act.isPending} onClick={() => act.mutate('resume')}>
            Resume from record {number + 1}
          </Button>
        )}
        <Button disabled={act.isPending} onClick={() => act.mutate('test')}>
          Send a test
        </Button>
        <Button onClick={() => setAsked('change')}>Change…</Button>
        <Button disabled={act.isPending} onClick={() => act.mutate('secret')}>
          Show secret
        </Button>
        <Button onClick={() => setAsked('remove')}>Remove…</Button>
      </div>
      <p role="status" className="break-words text-small text-text-2">
        {tried === null
          ? null
          : tried.why === null
            ? `The test to ${tried.to} arrived.`
            : `The test to ${tried.to} did not arrive: ${tried.why}`}
      </p>
      <ErrorLine>{act.error?.message}</ErrorLine>
      {asked === 'change' ? <StreamDialog changed={stream} onClose={close} /> : null}
      {asked === 'remove' ? (
        <TypedConfirm
          onClose={close}
          title={`Remove ${name}?`}
          effect="Records that were not sent yet are not sent. A new stream starts again at record 1."
          word={name}
          action="Remove stream"
          onConfirm={() => act.mutateAsync('remove')}
        />
      ) : null}
      {secret === null ? null : (
        <Dialog open onOpenChange={hideSecret} title={`Secret of ${name}`}>
          <ShownOnce secret={secret} copyLabel="Copy the secret" onDone={hideSecret}>
            <p>
              It signs the messages of this stream (Standard Webhooks). Give it only to the
              receiver.
            </p>
          </ShownOnce>
        </Dialog>
      )}
    </li>
  )
}

function StreamState({ stream }: { readonly stream: ListedStream }) {
  const { asideAt, attempts, nextAt, last, deliveredAt } = stream
  if (asideAt !== null) {
    return (
      <span className="inline-flex flex-wrap items-baseline gap-x-2 text-text-2">
        <StatusText status="rejected">put aside</StatusText>
        <span className="break-words">
          <Timestamp at={asideAt} style="second" /> after {plural(attempts, 'attempt')}: {last}
        </span>
      </span>
    )
  }
  if (attempts > 0 && nextAt !== null) {
    return (
      <span className="inline-flex flex-wrap items-baseline gap-x-2 text-text-2">
        <StatusText status="waiting">retrying</StatusText>
        <span className="break-words">
          {plural(attempts, 'attempt')}, next <Timestamp at={nextAt} style="second" />: {last}
        </span>
      </span>
    )
  }
  if (deliveredAt === null) return <span className="text-text-2">Nothing sent yet</span>
  return (
    <span className="inline-flex flex-wrap items-baseline gap-x-2 text-text-2">
      <StatusText status="allowed">arrived</StatusText>
      <span>
        last message <Timestamp at={deliveredAt} style="second" />
      </span>
    </span>
  )
}

function useStreamActs(id: string) {
  const trpc = useTRPC()
  const { webhookStreams } = useTRPCClient()
  const queries = useQueryClient()
  const [secret, setSecret] = useState<string | null>(null)
  const [tried, setTried] = useState<{ readonly to: string; readonly why: string | null } | null>(
    null,
  )
  const act = useMutation({
    mutationFn: async (what: 'resume' | 'test' | 'secret' | 'remove') => {
      if (what === 'resume') await webhookStreams.resume.mutate({ id })
      if (what === 'remove') await webhookStreams.remove.mutate({ id })
      if (what === 'test') setTried(await webhookStreams.test.mutate({ id }))
      if (what === 'secret') setSecret((await webhookStreams.secret.mutate({ id })).secret)
    },
    onSettled: () => queries.invalidateQueries({ queryKey: trpc.webhookStreams.pathKey() }),
  })
  return { act, secret, tried, hideSecret: () => setSecret(null) }
}
