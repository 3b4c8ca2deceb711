'use client'
// The tester runs the runtime's own code in this browser; pasted data is neither sent nor stored.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { parseAsString, useQueryStates } from 'nuqs'
import { useDeferredValue } from 'react'
import { boundText } from '@/components/redaction/bound-text.ts'
import { SettingsFrame } from '@/components/shell/settings-frame.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Field, Input } from '@/components/ui/input.tsx'
import { lazyModule, lazySection, useLazyModule } from '@/components/ui/lazy-section.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '@/components/ui/states.tsx'

const MOST = 200

const ConfigRedaction = lazySection(
  () =>
    import('@/components/redaction/config-redaction.tsx').then((module) => module.ConfigRedaction),
  <SkeletonRows />,
)

const facts = lazyModule(() =>
  import('@/components/redaction/config-redaction.tsx').then((module) => module.RedactionFacts),
)

/** A failure to load is reported in the page. */
function RedactionFacts(shown: { readonly name: string; readonly rules: string | null }) {
  const state = useLazyModule(facts, true)
  return state.kind === 'loaded' ? <state.Part {...shown} /> : '\u00a0'
}

export function RedactionPage() {
  const trpc = useTRPC()
  const [{ config, rules, q }, set] = useQueryStates({
    config: parseAsString,
    rules: parseAsString,
    q: parseAsString.withDefault(''),
  })
  const text = useDeferredValue(q)
  const list = useQuery({
    ...trpc.configs.list.queryOptions({ filter: { q: text }, limit: MOST }),
    placeholderData: keepPreviousData,
  })
  const names = (list.data?.rows ?? []).map(({ ns, key }) => `${ns}/${key}`)
  const chosen = config ?? names[0]
  const bound = boundText(names.length, list.data?.total ?? null)
  return (
    <SettingsFrame
      facts={chosen === undefined ? undefined : <RedactionFacts name={chosen} rules={rules} />}
    >
      {list.isPending && <SkeletonRows />}
      {list.isError && (
        <ErrorState
          what="The configs could not be loaded."
          why={list.error}
          onRetry={() => void list.refetch()}
        />
      )}
      {(bound !== null || q !== '') && (
        <div className="flex flex-wrap items-end gap-3">
          <Field label="Find a config" hint={bound ?? undefined}>
            {(control) => (
              <Input
                {...control}
                type="search"
                className="w-64"
                placeholder="Filter by namespace or key"
                maxLength={200}
                value={q}
                onChange={({ currentTarget }) => void set({ q: currentTarget.value || null })}
              />
            )}
          </Field>
        </div>
      )}
      {list.isSuccess && chosen === undefined && q !== '' && (
        <EmptyState
          title={`No config matches “${q}”`}
          action={<Button onClick={() => void set({ q: null })}>Clear filter</Button>}
        />
      )}
      {list.isSuccess && chosen === undefined && q === '' && (
        <EmptyState title="No configs yet. Only the built-in secret names are redacted." />
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
