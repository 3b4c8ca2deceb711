'use client'
// Settings › Redaction: which rules a config holds, and a tester that runs the runtime's own code in this browser. Nothing that is
// pasted here is sent or stored.
import { useQuery } from '@tanstack/react-query'
import { parseAsString, useQueryStates } from 'nuqs'
import { SettingsFrame } from '../settings/settings-frame.tsx'
import { useTRPC } from '../trpc-provider.tsx'
import { latePart } from '../ui/late-part.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../ui/states.tsx'

const ConfigRedaction = latePart(
  () => import('./config-redaction.tsx').then((module) => module.ConfigRedaction),
  <SkeletonRows />,
)

export function RedactionPage() {
  const trpc = useTRPC()
  const [{ config, rules }, set] = useQueryStates({ config: parseAsString, rules: parseAsString })
  const list = useQuery(trpc.configs.list.queryOptions({ limit: 200 }))
  const names = (list.data?.configs ?? []).map(({ ns, key }) => `${ns}/${key}`)
  const chosen = config ?? names[0]
  return (
    <SettingsFrame>
      {list.isPending && <SkeletonRows />}
      {list.isError && (
        <ErrorState
          what="The configs could not be loaded."
          why={list.error}
          onRetry={() => void list.refetch()}
        />
      )}
      {list.isSuccess && chosen === undefined && (
        <EmptyState title="There is no config yet, so only the names that are always secret are taken out." />
      )}
      {chosen !== undefined && (
        <ConfigRedaction
          key={chosen}
          name={chosen}
          names={names}
          rules={rules}
          onConfig={(next) => void set({ config: next, rules: null })}
          onRules={(next) => void set({ rules: next })}
        />
      )}
    </SettingsFrame>
  )
}
