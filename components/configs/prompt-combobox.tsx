'use client'
import { plural } from '@signalbox/core/analysis'
import { useId, useState } from 'react'
import { NO_CONFIG_NAME, parseConfigName } from '@/components/paths/config-name.ts'
import { Field, Input } from '@/components/ui/input.tsx'
import { useUnmanaged } from './unmanaged-prompts.tsx'

/** Offers the prompts of connected runtimes that have no config. The text is judged only after the field has lost the focus. */
export function PromptCombobox({
  value,
  onChange,
}: {
  readonly value: string
  readonly onChange: (value: string) => void
}) {
  const list = useId()
  const [wasLeft, setLeft] = useState(false)
  const prompts = (useUnmanaged().data?.prompts ?? []).filter(({ isArchived }) => !isArchived)
  const reported = prompts.find(({ prompt }) => prompt === value.trim())
  const isWrong = wasLeft && value.trim() !== '' && parseConfigName(value) === null
  return (
    <Field
      label="Prompt"
      error={isWrong ? NO_CONFIG_NAME : undefined}
      hint={
        reported === undefined
          ? 'The prompt’s address (ns/key), as set in the runtime'
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
            onFocus={() => setLeft(false)}
            onBlur={() => setLeft(true)}
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
