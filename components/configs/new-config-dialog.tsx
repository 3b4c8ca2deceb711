'use client'
// Makes a config for a prompt: from a template, as a copy of another config, or from a document that is pasted. A document that is
// not valid is taken as it is: the editor tells what is wrong.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { useId, useState } from 'react'
import { configPath } from '@/components/paths/config-path.ts'
import { useTRPC, useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { Field, type FieldControl, Input, Textarea } from '@/components/ui/input.tsx'
import { Select } from '@/components/ui/select.tsx'
import { ErrorLine } from '@/components/ui/states.tsx'
import { renamedText } from './copied-text.ts'
import { RunningPrompt } from './running-prompt.tsx'

const STARTS = [
  { value: 'running', label: 'Tools of a running prompt' },
  { value: 'blank', label: 'Blank' },
  { value: 'read_before_write', label: 'Read before write' },
  { value: 'plan_first', label: 'Read before write, deadline, plan must be done' },
  { value: 'copy', label: 'A copy of another config' },
  { value: 'text', label: 'Paste a document' },
] as const

type Start = (typeof STARTS)[number]['value']

export interface NewConfig {
  /** `ns/key`; empty for none. */
  readonly prompt: string
  /** From what the prompt, or one that is chosen, reports. */
  readonly isRunning?: boolean
  /** `ns/key` of the config to copy. */
  readonly copyOf?: string
}

interface Name {
  readonly ns: string
  readonly key: string
}

/** Null for a text that names no prompt. */
function parseConfigName(text: string): Name | null {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*(\/[A-Za-z0-9][A-Za-z0-9._-]*)+$/.test(text)) return null
  const cut = text.lastIndexOf('/')
  return { ns: text.slice(0, cut), key: text.slice(cut + 1) }
}

const NAME_RULE = 'Use letters, digits, ".", "_", "-", and a "/" between ns and key.'

/** Text of the config as it runs furthest along the chain, else of its newest version, else of its draft. */
function useStartText() {
  const client = useTRPCClient()
  return async (from: Name): Promise<string> => {
    const { pointers, newestVersion } = await client.configs.get.query(from)
    const number = pointers.at(-1)?.version ?? newestVersion
    if (number !== null) return (await client.configs.version.query({ ...from, number })).text
    const { draft } = await client.drafts.open.query(from)
    if (draft === null) throw new Error(`${from.ns}/${from.key} has neither a version nor a draft.`)
    return draft.text
  }
}

interface Wish {
  readonly to: Name
  readonly start: Start
  readonly from: Name | null
  readonly text: string
}

function useCreate() {
  const trpc = useTRPC()
  const client = useTRPCClient()
  const queries = useQueryClient()
  const router = useRouter()
  const loadStartText = useStartText()
  return useMutation({
    mutationFn: async ({ to, start, from, text }: Wish) => {
      if (start === 'running') {
        const { text: reported } = await client.configs.reported.query(to)
        return await client.configs.create.mutate({ ...to, text: reported })
      }
      if (start === 'text') return await client.configs.create.mutate({ ...to, text })
      if (start !== 'copy') return await client.configs.create.mutate({ ...to, template: start })
      if (from === null) throw new Error('Choose the config to copy.')
      const copy = renamedText(await loadStartText(from), to)
      return await client.configs.create.mutate({ ...to, text: copy })
    },
    onSuccess: async (_made, { to }) => {
      await queries.invalidateQueries({ queryKey: trpc.configs.pathKey() })
      router.push(`${configPath(to.ns, to.key)}/edit`)
    },
  })
}

function selectStart({ copyOf, isRunning = false }: NewConfig): Start {
  if (isRunning) return 'running'
  return copyOf === undefined ? 'read_before_write' : 'copy'
}

export function NewConfigDialog({
  wanted,
  onClose,
}: {
  readonly wanted: NewConfig
  readonly onClose: () => void
}) {
  const { copyOf } = wanted
  const [name, setName] = useState(wanted.prompt)
  const [start, setStart] = useState<Start>(selectStart(wanted))
  const [source, setSource] = useState(copyOf ?? '')
  const [text, setText] = useState('')
  // A name is complete once its field is left.
  const [isNamed, setNamed] = useState(false)
  const [isSourceNamed, setSourceNamed] = useState(false)
  const form = useId()
  const [to, from] = [parseConfigName(name), parseConfigName(source)]
  const create = useCreate()
  const isReady = to !== null && (start !== 'copy' || from !== null)
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={copyOf === undefined ? 'New config' : `Duplicate ${copyOf}`}
      description="The guardrails of one prompt. Nothing changes for any runtime until it is published."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            type="submit"
            form={form}
            disabled={!isReady || create.isPending}
          >
            Create {to === null ? 'config' : `${to.ns}/${to.key}`}
          </Button>
        </>
      }
    >
      <form
        id={form}
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          if (to !== null && isReady) create.mutate({ to, start, from, text })
        }}
      >
        <Field
          label="Prompt"
          hint="The prompt's address (ns/key), as set in the runtime"
          error={isNamed && name !== '' && to === null ? NAME_RULE : undefined}
        >
          {(control) => (
            <Input
              {...control}
              value={name}
              autoFocus
              spellCheck={false}
              placeholder="examples/code-review"
              onChange={({ target }) => setName(target.value.trim())}
              onBlur={() => setNamed(true)}
              className="font-mono text-mono"
            />
          )}
        </Field>
        <Field label="Start from">
          {({ id }) => (
            <Select id={id} label="Start from" value={start} options={STARTS} onChange={setStart} />
          )}
        </Field>
        {start === 'running' && <RunningPrompt prompt={to} onChoose={setName} />}
        {start === 'copy' && (
          <Field
            label="Config to copy"
            hint="Copies the version live in its last environment, else its newest version, else its draft"
            error={isSourceNamed && source !== '' && from === null ? NAME_RULE : undefined}
          >
            {(control) => (
              <SourceInput
                control={control}
                value={source}
                onChange={setSource}
                onLeave={() => setSourceNamed(true)}
              />
            )}
          </Field>
        )}
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
        <ErrorLine>{create.error?.message}</ErrorLine>
      </form>
    </Dialog>
  )
}

/** Offers configs by what is typed. */
function SourceInput({
  control,
  value,
  onChange,
  onLeave,
}: {
  readonly control: FieldControl
  readonly value: string
  readonly onChange: (value: string) => void
  readonly onLeave: () => void
}) {
  const trpc = useTRPC()
  const found = useQuery(trpc.configs.list.queryOptions({ filter: { q: value }, limit: 8 }))
  const list = useId()
  return (
    <>
      <Input
        {...control}
        value={value}
        list={list}
        spellCheck={false}
        onChange={({ target }) => onChange(target.value.trim())}
        onBlur={onLeave}
        className="font-mono text-mono"
      />
      <datalist id={list}>
        {(found.data?.rows ?? []).map(({ id, ns, key }) => (
          <option key={id} value={`${ns}/${key}`} />
        ))}
      </datalist>
    </>
  )
}
