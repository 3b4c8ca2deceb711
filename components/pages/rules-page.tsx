'use client'

import { countText, plural } from '@signalbox/core/analysis'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { AlertTabs } from '@/components/alerts/alert-tabs.tsx'
import { RuleDialog } from '@/components/alerts/lazy-rule-dialog.ts'
import { MuteMenu, useIsMuted } from '@/components/alerts/mute-menu.tsx'
import { NewRuleButton } from '@/components/alerts/new-rule-button.tsx'
import { mailAddress } from '@/components/alerts/rule-draft.ts'
import { measuredText, valueText } from '@/components/alerts/signal-words.ts'
import { useAlertSummary } from '@/components/alerts/use-alert-summary.ts'
import { useMute } from '@/components/alerts/use-mute.ts'
import { Sparkline } from '@/components/kit/chart/sparkline.tsx'
import { DAY_MS } from '@/components/kit/list/range.ts'
import { useListKeys } from '@/components/kit/list/use-list-keys.ts'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { PageHeader } from '@/components/shell/page-header.tsx'
import { Refusal } from '@/components/shell/refusal.tsx'
import { useRight } from '@/components/shell/use-right.ts'
import { useTRPC, useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { ShownOnce } from '@/components/ui/shown-once.tsx'
import { EmptyState, ErrorLine, ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { StatusText } from '@/components/ui/status-badge.tsx'
import { Ago, Timestamp, useNow } from '@/components/ui/time.tsx'
import type { RuleValue } from '@/server/alerts/rule-values.ts'
import type { ListedRule, RuleWithFirings } from '@/server/alerts/rules.ts'
import { alertSignal, FIRINGS_DAYS, hasThreshold } from '@/server/alerts/signals.kinds.ts'
import type { Tried } from '@/server/alerts/try-rule.ts'

export function AlertRulesPage() {
  const [edited, setEdited] = useState<ListedRule | null>(null)
  const right = useRight('admin')
  useListKeys('alert rules', { noun: 'rule' })
  return (
    <>
      <PageHeader
        title="Alerts"
        facts={<RulesFacts isAllowed={right.isAllowed} />}
        actions={<NewRuleButton />}
      />
      <AlertTabs shown="Rules" />
      {right.reason === null ? <Rules onEdit={setEdited} /> : <Refusal>{right.reason}</Refusal>}
      {edited === null ? null : <RuleDialog rule={edited} onClose={() => setEdited(null)} />}
    </>
  )
}

function RulesFacts({ isAllowed }: { readonly isAllowed: boolean }) {
  const trpc = useTRPC()
  const { data } = useQuery({ ...trpc.alerts.rules.queryOptions(), enabled: isAllowed })
  const firing = useAlertSummary()?.firing
  return data === undefined || firing === undefined ? '\u00a0' : describeRules(data, firing)
}

function describeRules(rules: readonly RuleWithFirings[], firing: number): string {
  const on = rules.filter(({ enabled }) => enabled).length
  const off = rules.length - on
  return [
    `${plural(on, 'rule')} ${on === 1 ? 'is' : 'are'} on`,
    off === 0 ? '' : `, ${countText(off)} ${off === 1 ? 'is' : 'are'} off`,
    firing === 0
      ? '; no alert is firing.'
      : `; ${plural(firing, 'alert')} ${firing === 1 ? 'is' : 'are'} firing.`,
  ].join('')
}

/** Rules are evaluated every minute. */
const VALUES_AGAIN_MS = 60_000

function Rules({ onEdit }: { readonly onEdit: (rule: ListedRule) => void }) {
  const trpc = useTRPC()
  const query = useQuery(trpc.alerts.rules.queryOptions())
  const values = useQuery({
    ...trpc.alerts.values.queryOptions(),
    refetchInterval: VALUES_AGAIN_MS,
  })
  useReadOnChange({ kind: 'alert' }, query, values)
  if (query.data === undefined) {
    if (query.error === null) return <SkeletonRows />
    return (
      <ErrorState
        what="The rules could not be loaded."
        why={query.error}
        onRetry={() => void query.refetch()}
      />
    )
  }
  if (query.data.length === 0) {
    return (
      <EmptyState title="No alert rules yet.">
        A rule counts events such as blocked stops in a time window, and notifies you by webhook,
        chat or email when there are too many.
      </EmptyState>
    )
  }
  return (
    <ul aria-label="Alert rules" className="bg-surface">
      {query.data.map((rule) => (
        <RuleRow
          key={rule.id}
          rule={rule}
          value={values.data?.find(({ id }) => id === rule.id)}
          onEdit={() => onEdit(rule)}
        />
      ))}
    </ul>
  )
}

function RuleRow({
  rule,
  value,
  onEdit,
}: {
  readonly rule: RuleWithFirings
  /** Undefined: not loaded. */
  readonly value: RuleValue | undefined
  readonly onEdit: () => void
}) {
  const manage = useRight('admin')
  const { act, mute, notMuted, secret, tried, hideSecret } = useRuleActs(rule)
  const [isRemoving, setRemoving] = useState(false)
  const hasWebhook = rule.destinations.some(({ kind }) => kind === 'webhook')
  return (
    <li className="flex flex-col gap-1 border-border border-b px-4 py-3 focus-within:bg-row-selected">
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5">
        <span className="font-medium">{rule.name}</span>
        <RuleState rule={rule} />
        {value !== undefined && <ValueText rule={rule} value={value} />}
      </div>
      <p className="text-text-2">{alertSignal(rule.signal).describeRule(rule)}.</p>
      <p className="break-words text-small text-text-2">{destinationsText(rule)}</p>
      <div className="flex flex-wrap items-center gap-1 pt-1">
        <ReasonedButton {...manage} variant="quiet" data-row={rule.id} onClick={onEdit}>
          Edit…
        </ReasonedButton>
        <MuteMenu rule={rule} onMute={mute} />
        <ReasonedButton
          {...manage}
          variant="quiet"
          onClick={() => act.mutate(rule.enabled ? 'disable' : 'enable')}
        >
          {rule.enabled ? 'Turn off' : 'Turn on'}
        </ReasonedButton>
        {rule.destinations.length > 0 ? (
          <ReasonedButton
            {...manage}
            variant="quiet"
            disabled={act.isPending}
            onClick={() => act.mutate('test')}
          >
            Send a test
          </ReasonedButton>
        ) : null}
        {hasWebhook ? (
          <ReasonedButton {...manage} variant="quiet" onClick={() => act.mutate('secret')}>
            Show secret
          </ReasonedButton>
        ) : null}
        <ReasonedButton {...manage} variant="quiet" onClick={() => setRemoving(true)}>
          Remove…
        </ReasonedButton>
      </div>
      <TriedPlaces tried={tried} />
      {act.error === null && notMuted === null ? null : (
        <ErrorLine>{act.error?.message ?? notMuted}</ErrorLine>
      )}
      {isRemoving ? (
        <Dialog
          open
          onOpenChange={() => setRemoving(false)}
          title={`Remove rule “${rule.name}”?`}
          description="Its alerts and their notes are deleted, too. Switch the rule off instead to keep them."
          actions={
            <>
              <Button onClick={() => setRemoving(false)}>Cancel</Button>
              <Button
                variant="danger"
                disabled={act.isPending}
                onClick={() => act.mutate('remove')}
              >
                Remove rule
              </Button>
            </>
          }
        />
      ) : null}
      {secret === null ? null : (
        <Dialog open onOpenChange={hideSecret} title={`Secret of ${rule.name}`}>
          <ShownOnce secret={secret} copyLabel="Copy the secret" onDone={hideSecret}>
            <p>
              It signs the messages of this rule (Standard Webhooks). Give it only to the receiver.
            </p>
          </ShownOnce>
        </Dialog>
      )}
    </li>
  )
}

function RuleState({
  rule: { enabled, mutedUntil, firings, createdAt },
}: {
  readonly rule: RuleWithFirings
}) {
  const isMuted = useIsMuted(mutedUntil)
  const now = useNow()
  const isYoung = now !== null && now - createdAt < FIRINGS_DAYS * DAY_MS
  if (!enabled) return <StatusText status="ended">off</StatusText>
  return (
    <>
      {firings !== null && firings.firing > 0 && (
        <StatusText status="firing">{countText(firings.firing)} firing</StatusText>
      )}
      {isMuted && mutedUntil !== null && (
        <StatusText status="muted">
          muted until <Timestamp at={mutedUntil} style="second" />
        </StatusText>
      )}
      <span className="text-small text-text-2">
        {firings === null ? (
          <>
            {isYoung
              ? 'not fired since it was created'
              : `not fired in ${FIRINGS_DAYS} days, created`}{' '}
            <Ago at={createdAt} />
          </>
        ) : (
          <>
            last fired <Ago at={firings.lastFiredAt} />
          </>
        )}
      </span>
    </>
  )
}

/** A multiple of 0 is none: nothing was there to compare with. */
function describePast(signal: ListedRule['signal'], most: number): string {
  return alertSignal(signal).measure === 'factor' && most === 0
    ? '7 days: nothing to compare'
    : `7 days: up to ${valueText(signal, most)}`
}

function ValueText({
  rule: { signal, windowMinutes, threshold },
  value: { value, history },
}: {
  readonly rule: ListedRule
  readonly value: RuleValue
}) {
  const hasLimit = hasThreshold(signal)
  return (
    <span className="flex flex-wrap items-center gap-x-3 self-center max-sm:w-full sm:ml-auto">
      <span className="tabular-nums">
        <span className="text-text-2">Now</span>{' '}
        {value === null ? '–' : measuredText({ signal, value, windowMinutes })}
      </span>
      {history === null ? (
        <span
          className="whitespace-nowrap text-small text-text-2"
          title="Only the current value of this signal is known."
        >
          No past values
        </span>
      ) : (
        <>
          <span className="text-small text-text-2 tabular-nums">
            {describePast(signal, Math.max(...history))}
            {hasLimit && `, fires at ${valueText(signal, threshold)}`}
          </span>
          <Sparkline
            values={history}
            limit={hasLimit ? threshold : null}
            label="Highest values of the last 7 days"
          />
        </>
      )}
    </span>
  )
}

function TriedPlaces({ tried }: { readonly tried: readonly Tried[] | null }) {
  return (
    <div role="status" className="text-small">
      {tried?.map(({ kind, to, why }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a test is replaced as a whole, and two destinations may be equal.
        <p key={at} className={why === null ? 'text-text-2' : 'break-words text-deny-fg'}>
          {why === null
            ? `The test to ${to} (${kind}) arrived.`
            : `The test to ${to} (${kind}) did not arrive: ${why}`}
        </p>
      ))}
    </div>
  )
}

type Act = 'enable' | 'disable' | 'secret' | 'test' | 'remove'

function useRuleActs({ id }: ListedRule) {
  const trpc = useTRPC()
  const client = useTRPCClient()
  const queries = useQueryClient()
  const [secret, setSecret] = useState<string | null>(null)
  const [tried, setTried] = useState<readonly Tried[] | null>(null)
  const act = useMutation({
    mutationFn: async (what: Act) => {
      const { alerts } = client
      if (what === 'enable' || what === 'disable')
        await alerts.enable.mutate({ id, enabled: what === 'enable' })
      if (what === 'remove') await alerts.remove.mutate({ id })
      if (what === 'test') setTried(await alerts.test.mutate({ id }))
      if (what === 'secret') setSecret((await alerts.secret.mutate({ id })).secret)
    },
    onSettled: () => queries.invalidateQueries({ queryKey: trpc.alerts.pathKey() }),
  })
  const [notMuted, setNotMuted] = useState<string | null>(null)
  const mute = useMute({
    show: ({ mutedUntil }) => {
      setNotMuted(null)
      queries.setQueryData(trpc.alerts.rules.queryKey(), (rules) =>
        rules?.map((rule) => (rule.id === id ? { ...rule, mutedUntil } : rule)),
      )
    },
    onFailed: (_, why) => setNotMuted(`Failed: ${why}`),
  })
  return { act, mute, notMuted, secret, tried, hideSecret: () => setSecret(null) }
}

function destinationsText({ destinations }: ListedRule): string {
  if (destinations.length === 0) return 'Shown only in the console.'
  const places = destinations.map(({ kind, url }) =>
    kind === 'email' ? mailAddress(url) : `${new URL(url).host} (${kind})`,
  )
  return `Notifies ${places.join(', ')}.`
}
