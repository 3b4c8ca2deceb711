'use client'
// Makes a config for a prompt, from a template or from a document that is pasted or opened as a file. A document that is
// not valid is taken as it is: the editor tells what is wrong.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { useId, useState } from 'react'
import { useTRPC } from '../trpc-provider.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field, Input, Textarea } from '../ui/input.tsx'
import { Select } from '../ui/select.tsx'
import { configPath } from './config-path.ts'

const STARTS = [
  { value: 'blank', label: 'Blank' },
  { value: 'read_before_write', label: 'Read before write' },
  { value: 'plan_first', label: 'Read before write, deadline, plan must be done' },
  { value: 'text', label: 'A document of your own' },
] as const

export function NewConfigDialog({
  prompt,
  onClose,
}: {
  /** `ns/key` to start with; empty for none. */
  readonly prompt: string
  readonly onClose: () => void
}) {
  const [name, setName] = useState(prompt)
  const [start, setStart] = useState<(typeof STARTS)[number]['value']>('read_before_write')
  const [text, setText] = useState('')
  const trpc = useTRPC()
  const queries = useQueryClient()
  const router = useRouter()
  const form = useId()
  const cut = name.lastIndexOf('/')
  const [ns, key] = [name.slice(0, Math.max(0, cut)), name.slice(cut + 1)]
  const create = useMutation({
    ...trpc.configs.create.mutationOptions(),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: trpc.configs.pathKey() })
      router.push(`${configPath(ns, key)}/edit`)
    },
  })
  const isNamed = /^[A-Za-z0-9][A-Za-z0-9._-]*(\/[A-Za-z0-9][A-Za-z0-9._-]*)+$/.test(name)
  const isBad = name !== '' && !isNamed
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="New config"
      description="The guardrails of one prompt. Nothing changes for any runtime until it is published."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            type="submit"
            form={form}
            disabled={!isNamed || create.isPending}
          >
            Create {isNamed ? `${ns}/${key}` : 'config'}
          </Button>
        </>
      }
    >
      <form
        id={form}
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          if (!isNamed) return
          create.mutate(start === 'text' ? { ns, key, text } : { ns, key, template: start })
        }}
      >
        <Field
          label="Prompt"
          hint="ns/key, as the runtime names it"
          error={
            isBad ? 'Use letters, digits, ".", "_", "-", and a "/" between ns and key.' : undefined
          }
        >
          {(control) => (
            <Input
              {...control}
              value={name}
              autoFocus
              spellCheck={false}
              placeholder="examples/code-review"
              onChange={({ target }) => setName(target.value.trim())}
              className="font-mono text-mono"
            />
          )}
        </Field>
        <Field label="Start from">
          {({ id }) => (
            <Select id={id} label="Start from" value={start} options={STARTS} onChange={setStart} />
          )}
        </Field>
        {start === 'text' && (
          <Field label="Document">
            {(control) => (
              <Textarea
                {...control}
                rows={10}
                value={text}
                spellCheck={false}
                placeholder={'{"schema_version": 1, …}'}
                onChange={({ target }) => setText(target.value)}
                className="font-mono text-mono"
              />
            )}
          </Field>
        )}
        {create.error !== null && (
          <p role="alert" className="text-deny-fg">
            {create.error.message}
          </p>
        )}
      </form>
    </Dialog>
  )
}
