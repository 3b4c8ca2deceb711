'use client'

import { timesText } from '@signalbox/core/analysis'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import {
  Ban,
  CircleQuestionMark,
  Hand,
  type LucideIcon,
  OctagonPause,
  Server,
  ShieldAlert,
  SkipForward,
  Timer,
  TriangleAlert,
} from 'lucide-react'
import { useRight } from '@/components/shell/use-right.ts'
import { useTRPC, useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { Link } from '@/components/ui/link.tsx'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { ErrorLine, ErrorState } from '@/components/ui/states.tsx'
import { StatusBadge } from '@/components/ui/status-badge.tsx'
import type { RecommendedState } from '@/server/alerts/recommended.ts'
import { RECOMMENDED_RULES, type RecommendedRule } from '@/server/alerts/recommended-rules.kinds.ts'

const ICONS: Readonly<Partial<Record<RecommendedRule['signal'], LucideIcon>>> = {
  bypassed_stops: SkipForward,
  runtimes_behind: TriangleAlert,
  blocks_in_a_row: OctagonPause,
  denials_after_release: Ban,
  error_verdicts: ShieldAlert,
  lost_sessions: CircleQuestionMark,
  approval_lapsing: Hand,
  silent_runtimes: Server,
  long_sessions: Timer,
}

export function RecommendedRules() {
  const trpc = useTRPC()
  const query = useQuery(trpc.alerts.recommended.queryOptions())
  const states = new Map(query.data?.map((state) => [state.name, state]))
  const on = query.data?.filter(({ isOn }) => isOn).length
  return (
    <Card className="overflow-hidden">
      <CardHeader
        title="Recommended rules"
        aside={on === undefined ? undefined : `${on} of ${RECOMMENDED_RULES.length} are on`}
        actions={
          <Link href="/docs/specs/alerts" className="text-link">
            How thresholds are chosen
          </Link>
        }
      />
      {query.error === null ? (
        <ul className="-mr-px -mb-px grid sm:grid-cols-2 lg:grid-cols-3">
          {RECOMMENDED_RULES.map((rule) => (
            <Recommended key={rule.name} rule={rule} state={states.get(rule.name)} />
          ))}
        </ul>
      ) : (
        <ErrorState
          what="The recommended rules could not be loaded."
          why={query.error}
          onRetry={() => void query.refetch()}
        />
      )}
    </Card>
  )
}

function firedText({ isOn, fired }: RecommendedState): string {
  if (fired === null) return 'No history for this signal.'
  const times = fired === 0 ? '0 times' : timesText(fired)
  return `${isOn ? 'Fired' : 'Would have fired'} ${times} in 7 days`
}

function Recommended({
  rule,
  state,
}: {
  readonly rule: RecommendedRule
  /** Undefined: not loaded. */
  readonly state: RecommendedState | undefined
}) {
  const right = useRight('admin')
  const turnOn = useTurnOn(rule, state)
  const Icon = ICONS[rule.signal] ?? TriangleAlert
  return (
    <li className="flex min-h-25 flex-col border-border border-r border-b p-3">
      <div className="flex min-h-7 items-center gap-2">
        <Icon size={14} aria-hidden className="shrink-0 text-text-2" />
        <h3 className="min-w-0 flex-1 font-medium">{rule.name}</h3>
        {state === undefined ? null : state.isOn ? (
          <StatusBadge status="resolved">On</StatusBadge>
        ) : (
          <ReasonedButton
            {...right}
            aria-label={`Turn on: ${rule.name}`}
            disabled={turnOn.isPending}
            onClick={() => turnOn.mutate()}
          >
            Turn on
          </ReasonedButton>
        )}
      </div>
      <p className="text-small text-text-2">{rule.about}</p>
      <p className="mt-auto pt-3 text-small text-text-2">
        {state === undefined ? 'Checking the last 7 days…' : firedText(state)}
      </p>
      {turnOn.error === null ? null : <ErrorLine>{turnOn.error.message}</ErrorLine>}
    </li>
  )
}

function useTurnOn(rule: RecommendedRule, state: RecommendedState | undefined) {
  const trpc = useTRPC()
  const { alerts } = useTRPCClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async () => {
      const id = state?.ruleId ?? null
      if (id !== null) await alerts.enable.mutate({ id, enabled: true })
      else {
        const { name, signal, windowMinutes, threshold } = rule
        const anywhere = { environment: null, ns: null, key: null }
        const input = { ...anywhere, name, signal, windowMinutes, threshold, destinations: [] }
        await alerts.create.mutate(input)
      }
    },
    onSettled: () => queries.invalidateQueries({ queryKey: trpc.alerts.pathKey() }),
  })
}
