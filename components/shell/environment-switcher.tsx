'use client'
// Which environment the lists show: `?env=` in the URL, absent for all. Production has a lock and its word, no colour.
import { useQuery } from '@tanstack/react-query'
import { parseAsString, useQueryState } from 'nuqs'
import { useTRPC } from '../trpc-provider.tsx'
import { Button } from '../ui/button.tsx'
import { Select } from '../ui/select.tsx'

const ALL = 'all'

/** The chosen environment; undefined for all. */
export function useEnvironment(): string | undefined {
  const [environment] = useQueryState('env', parseAsString)
  return environment ?? undefined
}

/** The chosen environment goes along, so that moving between pages does not widen the view. For paths without a query. */
export function useLinkTo(): (path: string) => string {
  const environment = useEnvironment()
  return (path) =>
    environment === undefined ? path : `${path}?env=${encodeURIComponent(environment)}`
}

/** Beside "nothing in this environment". */
export function AllEnvironmentsButton() {
  const [environment, setEnvironment] = useQueryState('env', parseAsString)
  return environment === null ? null : (
    <Button onClick={() => void setEnvironment(null)}>Remove env:{environment}</Button>
  )
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
