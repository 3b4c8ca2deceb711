'use client'
// Which environment the lists show: `?env=` in the URL, absent for all. Production has a lock and its word, no colour.
import { useQuery } from '@tanstack/react-query'
import { parseAsString, useQueryState } from 'nuqs'
import { useTRPC } from '../trpc-provider.tsx'
import { Select } from '../ui/select.tsx'

const ALL = 'all'

/** The chosen environment; undefined for all. */
export function useEnvironment(): string | undefined {
  const [environment] = useQueryState('env', parseAsString)
  return environment ?? undefined
}

export function EnvironmentSwitcher() {
  const trpc = useTRPC()
  const [environment, setEnvironment] = useQueryState('env', parseAsString)
  const { data } = useQuery({ ...trpc.runtimes.environments.queryOptions(), staleTime: 60_000 })
  const names = (data ?? []).map(({ name }) => ({ value: name, label: name }))
  return (
    <Select
      label="Environment"
      value={environment ?? ALL}
      options={[{ value: ALL, label: 'all environments' }, ...names]}
      onChange={(next) => void setEnvironment(next === ALL ? null : next)}
      className="w-full border-border font-medium"
    />
  )
}
