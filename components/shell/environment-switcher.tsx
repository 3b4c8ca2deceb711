'use client'
// `?env=` in the address; absent: all.
import { useQuery } from '@tanstack/react-query'
import { Lock } from 'lucide-react'
import { parseAsString, useQueryState } from 'nuqs'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Select } from '@/components/ui/select.tsx'
import { RailChoice } from './rail-choice.tsx'

const ALL = 'all'

/** Undefined: all. */
export function useEnvironment(): string | undefined {
  const [environment] = useQueryState('env', parseAsString)
  return environment ?? undefined
}

/** Adds the selected environment to a path, so that navigation does not widen the view. */
export function useLinkTo(): (path: string) => string {
  const environment = useEnvironment()
  return (path) =>
    environment === undefined
      ? path
      : `${path}${path.includes('?') ? '&' : '?'}env=${encodeURIComponent(environment)}`
}

export function AllEnvironmentsButton() {
  const [environment, setEnvironment] = useQueryState('env', parseAsString)
  return environment === null ? null : (
    <Button onClick={() => void setEnvironment(null)}>Remove env:{environment}</Button>
  )
}

export function useEnvironmentChoice() {
  const trpc = useTRPC()
  const [environment, setEnvironment] = useQueryState('env', parseAsString)
  const { data } = useQuery({ ...trpc.runtimes.environments.queryOptions(), staleTime: 60_000 })
  const names = (data ?? []).map(({ name }) => ({ value: name, label: name }))
  return {
    value: environment ?? ALL,
    options: [{ value: ALL, label: 'All environments' }, ...names],
    choose: (next: string): void => void setEnvironment(next === ALL ? null : next),
    isGuarded: data?.some((one) => one.name === environment && one.requiresTypedName) ?? false,
  }
}

export function EnvironmentMenu() {
  const { value, options, choose } = useEnvironmentChoice()
  return <RailChoice label="Environment" value={value} options={options} onChoose={choose} />
}

export function EnvironmentSwitcher() {
  const { value, options, choose, isGuarded } = useEnvironmentChoice()
  return (
    <Select
      label="Environment"
      value={value}
      options={options}
      icon={isGuarded && <Lock size={12} className="shrink-0" aria-hidden />}
      onChange={choose}
      className="w-full border-border font-medium"
    />
  )
}
