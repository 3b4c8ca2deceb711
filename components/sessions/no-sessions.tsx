'use client'

import { countText } from '@signalbox/core/analysis'
import { useQuery } from '@tanstack/react-query'
import { RANGES } from '@/components/kit/list/range.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { EmptyState } from '@/components/ui/states.tsx'
import type { FilterPart } from '@/server/sessions/session-filter.sql.ts'
import { MOST_FREED, SESSIONS } from '@/server/sessions/sessions.list.ts'
import type { FilterState, FilterValues } from './session-filter.ts'

interface Part {
  /** The term as it stands in the address: `status:blocked`. */
  readonly text: string
  readonly without: Partial<FilterValues>
}

const PARTS = {
  environment: true,
  status: true,
  prompt: true,
  version: true,
  verdict: true,
  enforced: true,
  runtime: true,
  q: true,
  terms: true,
  since: true,
  mine: true,
} as const

function isPart(name: string): name is keyof typeof PARTS {
  return Object.hasOwn(PARTS, name)
}

/** Removing the range widens it to a year. */
function describeFilterPart(part: FilterPart | 'mine', { values, filter }: FilterState): Part {
  switch (part) {
    case 'environment':
      return { text: `env:${filter.environment ?? ''}`, without: {} }
    case 'status':
      return { text: `status:${filter.status ?? ''}`, without: { status: 'all' } }
    case 'since':
      return {
        text: `range:${values.range ?? SESSIONS.standardRange}`,
        without: { range: RANGES.at(-1)?.value ?? null },
      }
    case 'madeBy':
    case 'mine':
      return { text: 'mine', without: { mine: null } }
    case 'q':
    case 'terms':
      return { text: values.q ?? '', without: { q: null } }
    case 'prompt':
    case 'version':
    case 'verdict':
    case 'enforced':
    case 'runtime':
      return { text: `${part}:${values[part] ?? ''}`, without: { [part]: null } }
    default:
      return part satisfies never
  }
}

export function NoSessions({
  state,
  onEveryEnvironment,
}: {
  readonly state: FilterState
  readonly onEveryEnvironment: () => void
}) {
  const trpc = useTRPC()
  const { filter } = state
  const narrowings = useQuery(trpc.sessions.narrowings.queryOptions({ filter }))
  const counted = narrowings.data ?? []
  const [most] = counted
  const found =
    most === undefined || most.without === 0 ? null : describeFilterPart(most.part, state)
  const parts = Object.keys(filter).flatMap((name) =>
    isPart(name) ? describeFilterPart(name, state).text : [],
  )
  const on = [...new Set(parts)]
  if (!state.isNarrowed && found === null) {
    return (
      <EmptyState title="Sessions of your agents appear here as soon as a runtime sends events." />
    )
  }
  return (
    <EmptyState
      title="No session matches the filter."
      action={
        <div className="flex flex-wrap gap-2">
          {found === null || most === undefined ? null : (
            <Button
              onClick={() =>
                most.part === 'environment' ? onEveryEnvironment() : state.set(found.without)
              }
            >
              Remove {found.text}
            </Button>
          )}
          <Button onClick={state.clear}>Clear all filters</Button>
        </div>
      }
    >
      {on.length === 0 ? null : <p>Active filters: {on.join(', ')}.</p>}
      {found === null || most === undefined ? null : (
        <p>
          Without {found.text}, {countText(most.without)}
          {most.without >= MOST_FREED ? '+' : ''}{' '}
          {most.without === 1 ? 'session is' : 'sessions are'} listed.
        </p>
      )}
    </EmptyState>
  )
}
