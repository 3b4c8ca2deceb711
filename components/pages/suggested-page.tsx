'use client'
// Searches the sessions of the environment that the rail selects (`?env=`), else of the one with the most good sessions.
import { countText, plural } from '@signalbox/core/analysis'
import { useQuery } from '@tanstack/react-query'
import { ConfigCrumbs } from '@/components/configs/config-crumbs.tsx'
import { useEnvironment } from '@/components/shell/environment-switcher.tsx'
import { PageHeader } from '@/components/shell/page-header.tsx'
import {
  FirstSearch,
  isSearching,
  SearchButton,
  SearchState,
} from '@/components/suggestions/search.tsx'
import { findShownPlace } from '@/components/suggestions/shown-place.ts'
import { SuggestedRules } from '@/components/suggestions/suggested-rules.tsx'
import { useSuggestions } from '@/components/suggestions/use-suggestions.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { LearnPlace } from '@/server/suggestions/learn-runs.sql.ts'
import type { Suggestions } from '@/server/suggestions/suggestions.ts'

export function SuggestedPage({ ns, key_: key }: { readonly ns: string; readonly key_: string }) {
  const trpc = useTRPC()
  const config = useQuery(trpc.configs.get.queryOptions({ ns, key }))
  const environments = useQuery(trpc.environments.list.queryOptions())
  const asked = useEnvironment()
  const fullest = useQuery({
    ...trpc.suggestions.environment.queryOptions({ ns, key }),
    enabled: asked === undefined,
  })
  const failed = [config, environments].find(
    ({ data, error }) => error !== null && data === undefined,
  )
  if (failed !== undefined) {
    return (
      <ErrorState
        what={`Could not open ${ns}/${key}.`}
        why={failed.error ?? ''}
        onRetry={() => void failed.refetch()}
      />
    )
  }
  if (config.data === undefined || environments.data === undefined || fullest.isLoading)
    return <SkeletonRows />
  const chain = environments.data.map(({ name }) => name)
  const place = findShownPlace(config.data, chain, asked ?? fullest.data ?? null)
  if (place === null) return null
  return <Suggested key={place.environment} place={place} />
}

function Suggested({ place }: { readonly place: LearnPlace }) {
  const { ns, key, environment } = place
  const query = useSuggestions(place)
  const { data, error, refetch } = query
  return (
    <>
      <PageHeader
        above={<ConfigCrumbs ns={ns} name={key} here="Suggested rules" />}
        title={`Suggested rules for ${ns}/${key} in ${environment}`}
        facts={
          <p className="text-small">
            Rules that good sessions kept, tested on these sessions. The draft stays as it is until
            you add one.
            {data?.sample == null ? null : (
              <>
                {' '}
                Searched {plural(data.sample.good, 'good session')} and {countText(data.sample.bad)}{' '}
                bad on <Timestamp at={data.sample.at} style="second" />.
              </>
            )}
          </p>
        }
        actions={
          data?.sample == null || isSearching(data.run) ? null : (
            <SearchButton place={place} isAgain />
          )
        }
      />
      {data === undefined && error !== null ? (
        <ErrorState
          what="The suggested rules could not be loaded."
          why={error}
          onRetry={() => void refetch()}
        />
      ) : data === undefined ? (
        <SkeletonRows />
      ) : (
        <Body place={place} found={data} />
      )}
    </>
  )
}

function Body({ place, found }: { readonly place: LearnPlace; readonly found: Suggestions }) {
  const { run, sample, dismissed } = found
  return (
    <>
      <SearchState place={place} run={run} />
      {sample === null && !isSearching(run) ? (
        <div className="p-4">
          <FirstSearch place={place} />
        </div>
      ) : null}
      {sample === null && dismissed.length === 0 ? null : (
        <SuggestedRules place={place} found={found} />
      )}
    </>
  )
}
