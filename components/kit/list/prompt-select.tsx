'use client'

import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { ChoiceSelect } from './choice-select.tsx'

export function PromptSelect({
  value,
  onChange,
}: {
  /** `ns/key`; null: all. */
  readonly value: string | null
  readonly onChange: (prompt: string | null) => void
}) {
  const trpc = useTRPC()
  const prompts = useQuery(trpc.sessions.prompts.queryOptions(undefined, { staleTime: 30_000 }))
  const names = (prompts.data ?? []).map(({ ns, key }) => `${ns}/${key}`)
  return (
    <ChoiceSelect
      label="Prompt"
      all="All prompts"
      choices={names.map((name) => ({ value: name, label: name }))}
      value={value}
      onChange={onChange}
      className="max-w-64"
    />
  )
}
