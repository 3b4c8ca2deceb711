'use client'

import { plural } from '@signalbox/core/analysis'
import { useStore } from '@tanstack/react-form'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Form, FormProblem, Submit, useServerForm } from '@/components/kit/form/form.tsx'
import { TypedConfirm } from '@/components/kit/form/lazy-typed-confirm.ts'
import { SettingsFrame } from '@/components/shell/settings-frame.tsx'
import { useRight } from '@/components/shell/use-right.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { bytesText } from '@/components/ui/bytes-text.ts'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { EmptyState, ErrorLine, ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { Cell, HeadCell, Row, Table } from '@/components/ui/table.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { RetentionOverview, RetentionPreview } from '@/server/retention/retention.ts'
import { parseDays, type Rule } from './retention-rule.ts'

const FIELDS = [
  {
    name: 'archiveDays',
    label: 'Archive events after (days)',
    hint: 'As compressed files. Leave empty to keep them in the database.',
  },
  {
    name: 'eventsDays',
    label: 'Keep events for (days)',
    hint: 'With all payloads. Leave empty to keep forever.',
  },
  {
    name: 'decisionsDays',
    label: 'Keep decisions for (days)',
    hint: 'Sessions, stops, denials, feedback. Leave empty to keep forever.',
  },
] as const

export function Retention() {
  const trpc = useTRPC()
  const query = useQuery(trpc.retention.get.queryOptions())
  const { data } = query
  return (
    <SettingsFrame
      facts={
        data &&
        `${plural(data.all.sessions, 'session')} with ${plural(data.all.events, 'event')} ${data.all.sessions === 1 ? 'is' : 'are'} stored, including demo sessions.`
      }
    >
      {query.isPending && <SkeletonRows />}
      {query.isError && (
        <ErrorState
          what="The retention rule could not be loaded."
          why={query.error}
          onRetry={() => void query.refetch()}
        />
      )}
      {data !== undefined && (
        <>
          <Card>
            <CardHeader title="Retention" />
            <ArchiveText archived={data.archived} bytesPerEvent={data.all.bytesPerEvent} />
            <RuleForm key={JSON.stringify(data.rule)} rule={data.rule} />
          </Card>
          <Card>
            <CardHeader title="Removed" aside="newest first" />
            <Removals removals={data.removals} />
          </Card>
        </>
      )}
    </SettingsFrame>
  )
}

function ArchiveText({
  archived: { sessions, events, bytes },
  bytesPerEvent,
}: {
  readonly archived: RetentionOverview['archived']
  readonly bytesPerEvent: number | null
}) {
  if (sessions === 0) return null
  const before =
    bytesPerEvent === null ? '' : `, of about ${bytesText(events * bytesPerEvent)} in the database`
  return (
    <p className="px-3 pt-3 text-small text-text-2" data-testid="archived">
      The archive has {plural(events, 'event')} of {plural(sessions, 'session')}: {bytesText(bytes)}
      {before}.
    </p>
  )
}

const formatDays = (days: number | null): string => (days === null ? '' : String(days))

interface Texts {
  readonly archiveDays: string
  readonly eventsDays: string
  readonly decisionsDays: string
}

/** Null: one of the texts is no number of days. */
function parseRule(texts: Texts): Rule | null {
  const archiveDays = parseDays(texts.archiveDays)
  const eventsDays = parseDays(texts.eventsDays)
  const decisionsDays = parseDays(texts.decisionsDays)
  return archiveDays === undefined || eventsDays === undefined || decisionsDays === undefined
    ? null
    : { archiveDays, eventsDays, decisionsDays }
}

function whyNoDays({ value }: { readonly value: string }): string | undefined {
  return parseDays(value) === undefined
    ? 'Enter a whole number from 1 to 3650, or leave it empty.'
    : undefined
}

function RuleForm({ rule }: { readonly rule: Rule }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const { isAllowed: mayManage, reason } = useRight('admin')
  const [isAsking, setAsking] = useState(false)
  const { archiveDays, eventsDays, decisionsDays } = rule
  const change = useMutation(
    trpc.retention.change.mutationOptions({
      onSuccess: () => client.invalidateQueries({ queryKey: trpc.retention.pathKey() }),
    }),
  )
  const form = useServerForm({
    values: {
      archiveDays: formatDays(archiveDays),
      eventsDays: formatDays(eventsDays),
      decisionsDays: formatDays(decisionsDays),
    },
    toInput: parseRule,
    send: async (next) => {
      if (confirm === null) await change.mutateAsync({ ...next, typed: null })
      else setAsking(true)
    },
  })
  const next = parseRule(useStore(form.store, ({ values }) => values))
  const isChanged =
    next?.archiveDays !== archiveDays ||
    next.eventsDays !== eventsDays ||
    next.decisionsDays !== decisionsDays
  const preview = useQuery({
    ...trpc.retention.preview.queryOptions(next ?? rule),
    enabled: mayManage && next !== null,
    staleTime: 0,
    retry: false,
  })
  const confirm = preview.data?.confirm ?? null
  return (
    <>
      <Form form={form} className="flex flex-col gap-3 px-3 py-3">
        <div className="grid gap-x-8 gap-y-3 sm:grid-cols-3">
          {FIELDS.map(({ name, ...texts }) => (
            <form.AppField key={name} name={name} validators={{ onChange: whyNoDays }}>
              {(field) => (
                <field.TextField
                  {...texts}
                  inputMode="numeric"
                  className="w-56"
                  disabled={!mayManage}
                />
              )}
            </form.AppField>
          ))}
        </div>
        <ErrorLine>{preview.error?.message}</ErrorLine>
        <FormProblem />
        {preview.data !== undefined && isChanged && <PreviewText preview={preview.data} />}
        <div className="flex flex-wrap items-center gap-2">
          <Submit
            variant="primary"
            title={reason ?? undefined}
            disabled={!mayManage || next === null || !isChanged || preview.data === undefined}
          >
            Save
          </Submit>
          <span className="text-small text-text-2">
            {mayManage
              ? 'Running sessions, pinned cases, counts and the audit log are always kept.'
              : reason}
          </span>
        </div>
      </Form>
      {isAsking && confirm !== null && next !== null && preview.data !== undefined && (
        <TypedConfirm
          onClose={() => setAsking(false)}
          title="Keep records for less time"
          effect="Older records are removed immediately and cannot be restored."
          word={confirm}
          action="Save and remove"
          onConfirm={(typed) => change.mutateAsync({ ...next, typed })}
        >
          <PreviewText preview={preview.data} />
        </TypedConfirm>
      )}
    </>
  )
}

function PreviewText({ preview }: { readonly preview: RetentionPreview }) {
  const { events, decisions, bytes, all } = preview
  const size = bytes === null || events.events === 0 ? '' : `, about ${bytesText(bytes)}`
  return (
    <ul className="list-disc pl-5" data-testid="preview">
      <li>
        Removes {plural(events.events, 'event')} of {plural(events.sessions, 'session')}
        {size} (of {plural(all.events, 'event')} of {plural(all.sessions, 'session')}).
      </li>
      <li>Removes all data of {plural(decisions, 'session')}.</li>
    </ul>
  )
}

function Removals({
  removals,
}: {
  readonly removals: readonly {
    readonly at: number
    readonly kind: 'events' | 'decisions'
    readonly days: number
    readonly sessions: number
  }[]
}) {
  if (removals.length === 0) {
    return (
      <EmptyState title="Nothing has been removed yet.">
        Data appears here after the retention rule removes it.
      </EmptyState>
    )
  }
  return (
    <Table isStacked>
      <thead>
        <tr>
          <HeadCell>At</HeadCell>
          <HeadCell>Removed</HeadCell>
        </tr>
      </thead>
      <tbody>
        {removals.map(({ at, kind, days, sessions }) => (
          <Row key={`${at} ${kind}`}>
            <Cell>
              <Timestamp at={at} style="second" />
            </Cell>
            <Cell className="max-w-none whitespace-normal">
              {kind === 'events' ? 'the events' : 'all data'} of {plural(sessions, 'session')} older
              than {plural(days, 'day')}
            </Cell>
          </Row>
        ))}
      </tbody>
    </Table>
  )
}
