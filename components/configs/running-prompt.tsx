'use client'
import { plural } from '@signalbox/core/analysis'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { LinkButton } from '@/components/ui/button.tsx'
import { Field } from '@/components/ui/input.tsx'
import { Select } from '@/components/ui/select.tsx'
import { ErrorLine, Skeleton } from '@/components/ui/states.tsx'
import { useUnmanaged } from './unmanaged-prompts.tsx'

interface Name {
  readonly ns: string
  readonly key: string
}

const NONE = ''

export function RunningPrompt({
  prompt,
  onChoose,
}: {
  /** Null: no prompt is chosen. */
  readonly prompt: Name | null
  readonly onChoose: (prompt: string) => void
}) {
  const unmanaged = useUnmanaged()
  const named = prompt === null ? NONE : `${prompt.ns}/${prompt.key}`
  const prompts = (unmanaged.data?.prompts ?? []).filter(({ isArchived }) => !isArchived)
  const options = prompts.map(({ prompt: value }) => ({ value, label: value }))
  const isListed = options.some(({ value }) => value === named)
  return (
    <>
      {options.length > 0 && (
        <Field label="Running prompt" hint="Hosted by a connected runtime, without a config">
          {({ id }) => (
            <Select
              id={id}
              label="Running prompt"
              value={isListed ? named : NONE}
              options={isListed ? options : [{ value: NONE, label: 'Choose one' }, ...options]}
              onChange={onChoose}
            />
          )}
        </Field>
      )}
      {unmanaged.data !== undefined && options.length === 0 && (
        <div className="flex flex-col items-start gap-2">
          <p className="text-text-2">
            No connected runtime hosts a prompt without a config. Enter a prompt that ran before, or
            connect an agent.
          </p>
          <LinkButton href="/runtimes?connect=claude-code">Connect an agent</LinkButton>
        </div>
      )}
      {prompt !== null && <Reported prompt={prompt} />}
    </>
  )
}

function Reported({ prompt }: { readonly prompt: Name }) {
  const trpc = useTRPC()
  const { ns, key } = prompt
  const { data, error } = useQuery(trpc.configs.reported.queryOptions({ ns, key }))
  if (error !== null) {
    return <ErrorLine>What the prompt reports could not be read: {error.message}</ErrorLine>
  }
  if (data === undefined) return <Skeleton className="w-3/5" />
  const { hosts, sessions, tools, days } = data
  const harnesses = [...new Set(hosts.map(({ harness }) => harness).filter(Boolean))]
  const types = [
    ...new Set(hosts.flatMap(({ customTypes }) => customTypes.map(({ type }) => type))),
  ]
  const ran = `${plural(sessions, 'session')} in ${plural(days, 'day')}`
  return (
    <dl
      aria-label="Reported by the prompt"
      className="grid grid-cols-[max-content_1fr] gap-x-4 gap-y-1 rounded-control border border-border bg-surface-2 p-3 max-sm:grid-cols-1"
    >
      <dt className="text-text-2">Runtimes</dt>
      <dd>{hosts.length === 0 ? 'none connected' : `${hosts.length}, ${harnesses.join(', ')}`}</dd>
      <dt className="text-text-2">Sessions</dt>
      <dd>{ran}</dd>
      <dt className="text-text-2">Tools it called</dt>
      {tools.length === 0 ? (
        <dd>none yet: the config starts empty</dd>
      ) : (
        <dd className="min-w-0 break-words font-mono text-mono">
          {tools.map(({ name }) => name).join(', ')}
        </dd>
      )}
      {types.length > 0 && (
        <>
          <dt className="text-text-2">Custom rule types</dt>
          <dd className="min-w-0 break-words font-mono text-mono">{types.join(', ')}</dd>
        </>
      )}
    </dl>
  )
}
