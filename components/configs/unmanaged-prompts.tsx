'use client'
import { plural } from '@signalbox/core/analysis'
import { useQuery } from '@tanstack/react-query'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { useEnvironment } from '@/components/shell/environment-switcher.tsx'
import type { Right } from '@/components/shell/use-right.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { LinkButton } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { ErrorState } from '@/components/ui/states.tsx'
import type { UnmanagedPrompt } from '@/server/configs/listed-configs.sql.ts'

const LOOK_EVERY_MS = 10_000

export function useUnmanaged() {
  const trpc = useTRPC()
  const environment = useEnvironment() ?? null
  const query = useQuery({
    ...trpc.configs.unmanaged.queryOptions({ environment }),
    refetchInterval: LOOK_EVERY_MS,
  })
  useReadOnChange({ kind: 'config' }, query)
  return query
}

function meanwhile({ sources, postures }: UnmanagedPrompt): string {
  const [source, posture] = [sources.length === 1 ? sources[0] : null, postures[0]]
  if (source === 'bootstrap') return 'runs the rules built into its program'
  if (postures.length !== 1) return 'its runtimes differ in what they do without a config'
  if (posture === 'deny') return 'every call is denied until it has a config'
  if (posture === 'bootstrap') return 'falls back to the rules built into its program'
  return 'keeps the last config it had; without one every call is denied'
}

export function UnmanagedPrompts({
  unmanaged,
  edit,
  onCreate,
}: {
  readonly unmanaged: ReturnType<typeof useUnmanaged>
  readonly edit: Right
  readonly onCreate: (prompt: string) => void
}) {
  const { data, error } = unmanaged
  if (error !== null && data === undefined) {
    return (
      <Card>
        <ErrorState
          what="Could not read which prompts have no config."
          why={error}
          onRetry={() => void unmanaged.refetch()}
        />
      </Card>
    )
  }
  if (data === undefined || data.prompts.length === 0) return null
  const { prompts, hasMore } = data
  return (
    <Card>
      <CardHeader title="Prompts without a config" aside="reported by connected runtimes" />
      <ul className="max-h-96 overflow-y-auto">
        {prompts.map((unmanagedPrompt) => (
          <li
            key={unmanagedPrompt.prompt}
            className="flex min-h-11 items-center gap-3 border-border border-b px-3 py-1.5 last:border-b-0"
          >
            <PromptFacts unmanaged={unmanagedPrompt} />
            {unmanagedPrompt.isArchived ? (
              <LinkButton
                href={`/configs?archived=true&q=${encodeURIComponent(unmanagedPrompt.prompt)}`}
              >
                Find in Archived
              </LinkButton>
            ) : (
              <ReasonedButton
                {...edit}
                aria-label={`Create a config for ${unmanagedPrompt.prompt}`}
                onClick={() => onCreate(unmanagedPrompt.prompt)}
              >
                Create
              </ReasonedButton>
            )}
          </li>
        ))}
      </ul>
      {hasMore && (
        <p className="border-border border-t px-3 py-2 text-small text-text-2">
          Showing the first {prompts.length}, by name. Choose an environment to see fewer.
        </p>
      )}
    </Card>
  )
}

function PromptFacts({ unmanaged }: { readonly unmanaged: UnmanagedPrompt }) {
  const { prompt, runtimes, environments, isArchived } = unmanaged
  const hosts = `${plural(runtimes, 'runtime')} in ${environments.join(', ')}`
  return (
    <div className="min-w-0 flex-1">
      <code className="block truncate font-medium" title={prompt}>
        {prompt}
      </code>
      <span className="text-small text-text-2">
        {hosts} · {meanwhile(unmanaged)}
        {isArchived && ' · its config is archived'}
      </span>
    </div>
  )
}
