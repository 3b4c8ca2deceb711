'use client'
import { plural } from '@signalbox/core/analysis'
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { NO_CONFIG_NAME, parseConfigName } from '@/components/paths/config-name.ts'
import { configPath } from '@/components/paths/config-path.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Field, Input } from '@/components/ui/input.tsx'
import { Link } from '@/components/ui/link.tsx'
import { useUnmanaged } from './unmanaged-prompts.tsx'

/** The name of a config that exists already; null: there is none, or that is unknown. */
export function useTakenName(text: string, isAsked: boolean) {
  const trpc = useTRPC()
  const name = isAsked ? parseConfigName(text) : null
  const { data } = useQuery({
    ...trpc.overview.steps.queryOptions({ prompt: name ?? { ns: 'none', key: 'none' } }),
    enabled: name !== null,
  })
  return data?.hasConfig === true ? name : null
}

/** Offers the prompts of connected runtimes that have no config. The text is judged only after the field has lost the focus. */
export function PromptCombobox({
  value,
  wasLeft,
  onLeft,
  onChange,
}: {
  readonly value: string
  /** The field has lost the focus. */
  readonly wasLeft: boolean
  readonly onLeft: (wasLeft: boolean) => void
  readonly onChange: (value: string) => void
}) {
  const list = useId()
  const prompts = (useUnmanaged().data?.prompts ?? []).filter(({ isArchived }) => !isArchived)
  const reported = prompts.find(({ prompt }) => prompt === value.trim())
  const taken = useTakenName(value, wasLeft)
  const isWrong = wasLeft && value.trim() !== '' && parseConfigName(value) === null
  return (
    <Field
      label="Prompt"
      error={
        isWrong ? (
          NO_CONFIG_NAME
        ) : taken === null ? undefined : (
          <>
            {taken.ns}/{taken.key} already has a config.{' '}
            <Link href={configPath(taken.ns, taken.key)} className="underline">
              Open it
            </Link>
          </>
        )
      }
      hint={
        reported === undefined
          ? 'Namespace and key of the prompt, such as team/coder, as set in the runtime'
          : `Reported by ${plural(reported.runtimes, 'runtime')} in ${reported.environments.join(', ')}`
      }
    >
      {(control) => (
        <>
          <Input
            {...control}
            list={list}
            className="font-mono text-mono"
            placeholder="team/coder"
            spellCheck={false}
            value={value}
            onFocus={() => onLeft(false)}
            onBlur={() => onLeft(true)}
            onChange={({ target }) => onChange(target.value)}
          />
          <datalist id={list}>
            {prompts.map(({ prompt }) => (
              <option key={prompt} value={prompt} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  )
}
