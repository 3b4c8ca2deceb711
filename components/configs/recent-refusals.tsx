'use client'
// `?rule=` shows the calls that one rule denied.
import { useQuery } from '@tanstack/react-query'
import { parseAsString, useQueryState } from 'nuqs'
import type { ReactNode } from 'react'
import { stopHeadline } from '@/components/explanations/stop-headline.ts'
import { useEnvironment } from '@/components/shell/environment-switcher.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { Link } from '@/components/ui/link.tsx'
import { ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { StatusText } from '@/components/ui/status-badge.tsx'
import { Ago } from '@/components/ui/time.tsx'
import type { RecentRefusals as Refusals } from '@/server/configs/configs.ts'

export function RecentRefusals({ ns, name }: { readonly ns: string; readonly name: string }) {
  const trpc = useTRPC()
  const environment = useEnvironment() ?? null
  const [rule, setRule] = useQueryState('rule', parseAsString)
  const query = useQuery(trpc.configs.recent.queryOptions({ ns, key: name, environment, rule }))
  const { data, error } = query
  const where = environment === null ? 'in all environments' : `in ${environment}`
  return (
    <Card>
      <CardHeader
        title={rule === null ? 'Recent denials and blocked stops' : `Calls that ${rule} denied`}
        aside={`the newest, ${where}`}
        actions={
          rule !== null && (
            <Button variant="quiet" onClick={() => void setRule(null)}>
              Show all
            </Button>
          )
        }
      />
      {data === undefined && error === null && <SkeletonRows />}
      {data === undefined && error !== null && (
        <ErrorState
          what="The denied calls and blocked stops could not be loaded."
          why={error}
          onRetry={() => void query.refetch()}
        />
      )}
      {data !== undefined && <Lists data={data} rule={rule} />}
      <p className="flex flex-wrap gap-x-4 border-border border-t px-3 py-2">
        <SessionsLink prompt={`${ns}/${name}`} verdict="denied">
          Sessions with denials
        </SessionsLink>
        <SessionsLink prompt={`${ns}/${name}`} verdict="blocked">
          Sessions with blocked stops
        </SessionsLink>
      </p>
    </Card>
  )
}

function SessionsLink({
  prompt,
  verdict,
  children,
}: {
  readonly prompt: string
  readonly verdict: 'denied' | 'blocked'
  readonly children: ReactNode
}) {
  const environment = useEnvironment()
  const params = new URLSearchParams({ prompt, verdict })
  if (environment !== undefined) params.set('env', environment)
  return (
    <Link href={`/sessions?${params.toString()}`} className="text-link hover:underline">
      {children}
    </Link>
  )
}

function Lists({ data, rule }: { readonly data: Refusals; readonly rule: string | null }) {
  const { denials, stops } = data
  if (denials.length === 0 && stops.length === 0) {
    return (
      <p className="px-3 py-4 text-text-2">
        {rule === null
          ? 'No denied calls and no blocked stops.'
          : 'No calls. A call that several rules denied is listed by the first of them only.'}
      </p>
    )
  }
  return (
    <div className={rule === null ? 'grid grid-cols-1 lg:grid-cols-2' : undefined}>
      <ul aria-label="Denied calls">
        {denials.length === 0 && <li className="px-3 py-2 text-text-2">No call was denied.</li>}
        {denials.map(({ id, decision, reason, tool, rule: by, environment, at }) => (
          <Refusal
            key={id}
            href={`/decisions/${id}`}
            reason={reason}
            status={<StatusText status={decision} />}
            facts={`${tool} · ${by} · ${environment}`}
            at={at}
          />
        ))}
      </ul>
      {rule === null && (
        <ul aria-label="Refused stops" className="border-border max-lg:border-t lg:border-l">
          {stops.length === 0 && <li className="px-3 py-2 text-text-2">No stop was blocked.</li>}
          {stops.map((stop) => {
            const { status, word } = stopHeadline(stop)
            return (
              <Refusal
                key={stop.id}
                href={`/stops/${stop.id}`}
                reason={stop.reason}
                status={<StatusText status={status}>{word}</StatusText>}
                facts={stop.environment}
                at={stop.at}
              />
            )
          })}
        </ul>
      )}
    </div>
  )
}

function Refusal({
  href,
  reason,
  status,
  facts,
  at,
}: {
  readonly href: string
  readonly reason: string
  readonly status: ReactNode
  readonly facts: string
  readonly at: number
}) {
  return (
    <li className="border-border border-b px-3 py-1.5 last:border-b-0 hover:bg-row-hover">
      <Link href={href} className="line-clamp-2 break-words font-medium text-link hover:underline">
        {reason}
      </Link>
      <p className="flex flex-wrap items-center gap-x-2 text-small text-text-2">
        {status}
        <span className="break-words">{facts}</span>
        <Ago at={at} />
      </p>
    </li>
  )
}
