// Restricts a list to one prompt that has sessions.
'use client'

import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Select } from '@/components/ui/select.tsx'

const ALL = 'all'

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
  const all = value === null || names.includes(value) ? names : [...names, value]
  return (
    <Select
      label="Prompt"
      value={value ?? ALL}
      options={[
        { value: ALL, label: 'all prompts' },
        ...all.map((name) => ({ value: name, label: name })),
      ]}
      onChange={(next) => onChange(next === ALL ? null : next)}
      className="max-w-64"
    />
  )
}
