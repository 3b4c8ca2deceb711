'use client'
import { plural } from '@signalbox/core/analysis'
// Retention of events and decisions: the rule, a count of removals before it is saved, and past removals.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useMe } from '@/components/shell/account.ts'
import { SettingsFrame } from '@/components/shell/settings-frame.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { bytesText } from '@/components/ui/bytes-text.ts'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { Field, Input } from '@/components/ui/input.tsx'
import { EmptyState, ErrorLine, ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { Cell, HeadCell, Row, Table } from '@/components/ui/table.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import { TypedConfirm } from '@/components/ui/typed-confirm.tsx'
import type { RetentionPreview } from '@/server/retention/retention.ts'
import { parseDays, type Rule } from './retention-rule.ts'

const WHY = 'Only an admin can change how long records are kept.'

export function Retention() {
  const trpc = useTRPC()
  const query = useQuery(trpc.retention.get.queryOptions())
  const { data } = query
  return (
    <SettingsFrame>
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
            <CardHeader
              title="Retention"
              aside={`${plural(data.all.sessions, 'session')} with ${plural(data.all.events, 'event')} ${data.all.sessions === 1 ? 'is' : 'are'} stored`}
            />
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

const formatDays = (days: number | null): string => (days === null ? '' : String(days))

function RuleForm({ rule }: { readonly rule: Rule }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const mayManage = useMe()?.role === 'admin'
  const [events, setEvents] = useState(formatDays(rule.eventsDays))
  const [decisions, setDecisions] = useState(formatDays(rule.decisionsDays))
  const [isAsking, setAsking] = useState(false)
  const eventsDays = parseDays(events)
  const decisionsDays = parseDays(decisions)
  const next =
    eventsDays === undefined || decisionsDays === undefined ? null : { eventsDays, decisionsDays }
  const isChanged = JSON.stringify(next) !== JSON.stringify(toRetentionRule(rule))
  const preview = useQuery({
    ...trpc.retention.preview.queryOptions(next ?? toRetentionRule(rule)),
    enabled: mayManage && next !== null,
    staleTime: 0,
    retry: false,
  })
  const confirm = preview.data?.confirm ?? null
  const change = useMutation(
    trpc.retention.change.mutationOptions({
      onSuccess: () => client.invalidateQueries({ queryKey: trpc.retention.pathKey() }),
    }),
  )
  const save = (typed: string | null): void => {
    if (next !== null) change.mutate({ ...next, typed }, { onSuccess: () => setAsking(false) })
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (confirm !== null) setAsking(true)
    else save(null)
  }
  const problem = preview.error?.message
  return (
    <form onSubmit={submit} className="flex flex-col gap-3 px-3 py-3">
      <div className="flex flex-wrap gap-3">
        <DaysField
          label="Keep events for (days)"
          hint="With all payloads. Leave empty to keep forever."
          value={events}
          onChange={setEvents}
          isWrong={eventsDays === undefined}
          disabled={!mayManage}
        />
        <DaysField
          label="Keep decisions for (days)"
          hint="Sessions, stops, denials, feedback. Leave empty to keep forever."
          value={decisions}
          onChange={setDecisions}
          isWrong={decisionsDays === undefined}
          disabled={!mayManage}
        />
      </div>
      <ErrorLine>{problem}</ErrorLine>
      {preview.data !== undefined && isChanged && <PreviewText preview={preview.data} />}
      <div className="flex flex-wrap items-center gap-2">
        <Button
          type="submit"
          variant="primary"
          title={mayManage ? undefined : WHY}
          disabled={!mayManage || next === null || !isChanged || preview.data === undefined}
        >
          Save
        </Button>
        <span className="text-small text-text-2">
          {mayManage
            ? 'Running sessions, pinned cases, counts and the audit log are always kept.'
            : WHY}
        </span>
      </div>
      {isAsking && confirm !== null && preview.data !== undefined && (
        <TypedConfirm
          open
          onOpenChange={setAsking}
          title="Keep records for less time"
          effect="Older records are removed at once and cannot be restored."
          word={confirm}
          action="Save and remove"
          isBlocked={change.isPending}
          error={change.error?.message}
          onConfirm={() => save(confirm)}
        >
          <PreviewText preview={preview.data} />
        </TypedConfirm>
      )}
    </form>
  )
}

const toRetentionRule = ({ eventsDays, decisionsDays }: Rule): Rule => ({
  eventsDays,
  decisionsDays,
})

function DaysField({
  label,
  hint,
  value,
  onChange,
  isWrong,
  disabled,
}: {
  readonly label: string
  readonly hint: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly isWrong: boolean
  readonly disabled: boolean
}) {
  return (
    <Field
      label={label}
      hint={hint}
      error={isWrong ? 'Enter a whole number from 1 to 3650, or leave it empty.' : undefined}
    >
      {(control) => (
        <Input
          {...control}
          inputMode="numeric"
          className="w-56"
          value={value}
          disabled={disabled}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Field>
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
      <li>Removes all that is known of {plural(decisions, 'session')}.</li>
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
  if (removals.length === 0) return <EmptyState title="Nothing has been removed yet." />
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
