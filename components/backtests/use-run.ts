'use client'
import { plural } from '@signalbox/core/analysis'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { parseAsString, useQueryState } from 'nuqs'
import { useEffect, useState } from 'react'
import { useViews } from '@/components/saved-views/use-views.ts'
import type { parseFilterQuery as ParseFilterQuery } from '@/components/sessions/session-filter.ts'
import { useTRPC, useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import type { AskedSample } from '@/server/backtests/start-backtest.ts'
import { DEFAULT_SAMPLE, parseInstants, selectSample, type ViewSample } from './sample.ts'

interface RunWish {
  readonly ns: string
  readonly key: string
  readonly sample: AskedSample
  /** Null: the draft could not be saved. Called when the run starts, and again if the draft changed meanwhile. */
  readonly subject: () => Promise<Subject | null>
}

type Subject =
  | { readonly kind: 'draft'; readonly id: string; readonly revision: number }
  | { readonly kind: 'version'; readonly number: number }

const ATTEMPTS = 3
const MOVED =
  'Another user saved this draft. Reload the page to see the change, then run the backtest again.'

function useStartBacktest() {
  const client = useTRPCClient()
  const refresh = useRefresh()
  return useMutation({
    mutationFn: async ({ ns, key, sample, subject }: RunWish): Promise<string> => {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const found = await subject()
        if (found === null) break
        const result = await client.backtests.start.mutate({ ns, key, sample, subject: found })
        if (result.ok) return result.id
        if (attempt === ATTEMPTS - 1) throw new Error(MOVED)
      }
      throw new Error('The draft is not saved yet. Run it again once it is.')
    },
    onSettled: refresh,
  })
}

export function useCancelBacktest() {
  const client = useTRPCClient()
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (id: string) => client.backtests.cancel.mutate({ id }),
    onSettled: refresh,
  })
}

function useRefresh(): () => Promise<void> {
  const queries = useQueryClient()
  const trpc = useTRPC()
  return () => queries.invalidateQueries({ queryKey: trpc.backtests.pathKey() })
}

interface BacktestPlace {
  readonly ns: string
  readonly key: string
  /** Null: the draft could not be saved. */
  readonly subject: () => Promise<Subject | null>
  /** Reason why the user may not run a backtest; null: the user may. */
  readonly why: string | null
  readonly errors: number
}

/** Sample and run belong to the editor, so that ⌘Enter works on every tab. */
export function useBacktestRun({ ns, key, subject, why, errors }: BacktestPlace) {
  const [text, setText] = useQueryState('sample', parseAsString.withDefault(DEFAULT_SAMPLE))
  const start = useStartBacktest()
  const views = useViewSamples(`${ns}/${key}`)
  const sample = selectSample(text, Date.now(), views)
  const hindrance =
    why ??
    (errors > 0 ? `${plural(errors, 'problem')} must be fixed before it can run.` : null) ??
    (sample === null ? noSampleText(text) : null)
  const run = (): void => {
    if (hindrance === null && sample !== null && !start.isPending) {
      start.mutate({ ns, key, sample, subject })
    }
  }
  return { text, setText: (next: string) => void setText(next), views, hindrance, run, start }
}

function noSampleText(text: string): string {
  if (parseInstants(text) !== null) return 'The end of the range must be after its start.'
  return text.startsWith('view_')
    ? 'The saved view was deleted, or belongs to another prompt.'
    : `“${text}” is not a valid sample.`
}

/** Loads the parser of filters for users who have saved views: it comes with all columns of the sessions list. */
function useViewSamples(prompt: string): readonly ViewSample[] {
  const now = Date.now()
  const views = useViews('sessions')
  const [parse, setParse] = useState<typeof ParseFilterQuery | null>(null)
  const isWanted = views.length > 0 && parse === null
  useEffect(() => {
    if (!isWanted) return
    import('@/components/sessions/session-filter.ts').then(
      ({ parseFilterQuery }) => setParse(() => parseFilterQuery),
      // Without the chunk no view is offered until the page is opened again.
      () => undefined,
    )
  }, [isWanted])
  if (parse === null) return []
  return views.flatMap(({ id, name, query }): ViewSample[] => {
    const filter = parse(query, now)
    const { prompt: named } = filter
    const isOther = named !== undefined && `${named.ns}/${named.key}` !== prompt
    return isOther ? [] : [{ kind: 'view', id, name, filter }]
  })
}

export type BacktestRun = ReturnType<typeof useBacktestRun>
