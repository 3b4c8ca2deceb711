'use client'
// An invalid document is accepted; the editor reports its problems.
import { useStore } from '@tanstack/react-form'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { useId } from 'react'
import {
  Form,
  FormProblem,
  RefusedInput,
  Submit,
  useServerForm,
} from '@/components/kit/form/form.tsx'
import { configPath } from '@/components/paths/config-path.ts'
import { useTRPC, useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import type { ListedTemplate } from '@/server/configs/config-templates.ts'
import type { StartMode } from '@/server/configs/templates/template.ts'
import { PromptInput } from '@/server/platform/trpc/inputs.ts'
import { ChosenTemplate } from './chosen-template.tsx'
import { renamedText } from './copied-text.ts'
import { RunningPrompt } from './running-prompt.tsx'

const STARTS = [
  { value: 'template', label: 'A tested template' },
  { value: 'running', label: 'Tools of a running prompt' },
  { value: 'blank', label: 'Blank' },
  { value: 'copy', label: 'A copy of another config' },
  { value: 'text', label: 'Paste a document' },
] as const

const TEMPLATE_CHOICES = [
  { value: 'coding-agent', label: 'Coding agent' },
  { value: 'release-bot', label: 'Release bot' },
  { value: 'ci-fixer', label: 'CI fixer' },
  { value: 'support-triage', label: 'Support triage' },
  { value: 'email-assistant', label: 'E-mail assistant' },
  { value: 'browser-agent', label: 'Browser agent' },
  { value: 'research-writer', label: 'Research writer' },
  { value: 'data-analysis', label: 'Data analysis' },
  { value: 'database-migration', label: 'Database migration' },
  { value: 'infrastructure', label: 'Infrastructure changes' },
] as const satisfies readonly { readonly value: ListedTemplate['name']; readonly label: string }[]

type TemplateChoice = ListedTemplate['name']

const MODES = [
  { value: 'shadow', label: 'Shadow mode' },
  { value: 'enforce', label: 'Enforce' },
] as const

type Start = (typeof STARTS)[number]['value']

export interface NewConfig {
  /** `ns/key`; empty: none. */
  readonly prompt: string
  readonly isRunning?: boolean
  readonly copiedFrom?: string
}

interface Name {
  readonly ns: string
  readonly key: string
}

/** Null: the text names no prompt. */
function parseConfigName(text: string): Name | null {
  const name = text.trim()
  const cut = name.lastIndexOf('/')
  const parsed = PromptInput.safeParse({ ns: name.slice(0, cut), key: name.slice(cut + 1) })
  return cut < 0 || !parsed.success ? null : parsed.data
}

interface TypedName {
  readonly value: string
  readonly fieldApi: { readonly state: { readonly meta: { readonly isBlurred: boolean } } }
}

/** A name is validated only after its field lost the focus. */
function whyNoName({ value, fieldApi }: TypedName): string | undefined {
  const { isBlurred } = fieldApi.state.meta
  return !isBlurred || value.trim() === '' || parseConfigName(value) !== null
    ? undefined
    : 'Use letters, digits, ".", "_", "-", and a "/" between ns and key.'
}

interface LeftName {
  readonly fieldApi: { readonly validate: (cause: 'change') => unknown }
}

const NAME_FIELD = {
  validators: { onChange: whyNoName },
  listeners: { onBlur: ({ fieldApi }: LeftName) => void fieldApi.validate('change') },
}

/** Loads the config's text: the version live furthest along the chain, else the newest version, else the draft. */
function useStartText() {
  const client = useTRPCClient()
  return async (from: Name): Promise<string> => {
    const { pointers, newestVersion } = await client.configs.get.query(from)
    const number = pointers.at(-1)?.version ?? newestVersion
    if (number !== null) return (await client.configs.version.query({ ...from, number })).source
    const { draft } = await client.drafts.open.query(from)
    if (draft === null) throw new Error(`${from.ns}/${from.key} has neither a version nor a draft.`)
    return draft.text
  }
}

interface Values {
  readonly key: string
  readonly start: Start
  readonly template: TemplateChoice
  readonly mode: StartMode
  readonly source: string
  readonly text: string
}

interface Wish {
  readonly to: Name
  readonly start: Start
  readonly template: TemplateChoice
  readonly mode: StartMode
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
    mutationFn: async ({ to, start, template, mode, from, text }: Wish) => {
      if (start === 'running') {
        const { text: reported } = await client.configs.reported.query(to)
        return await client.configs.create.mutate({ ...to, text: reported })
      }
      if (start === 'text') return await client.configs.create.mutate({ ...to, text })
      if (start === 'template') return await client.configs.create.mutate({ ...to, template, mode })
      if (start === 'blank') return await client.configs.create.mutate(to)
      if (from === null) throw new RefusedInput('Choose the config to copy.', 'source')
      const copy = renamedText(await loadStartText(from), to)
      return await client.configs.create.mutate({ ...to, text: copy })
    },
    onSuccess: async (_made, { to }) => {
      await queries.invalidateQueries({ queryKey: trpc.configs.pathKey() })
      router.push(`${configPath(to.ns, to.key)}/edit`)
    },
  })
}

function selectStart({ copiedFrom, isRunning = false }: NewConfig): Start {
  if (isRunning) return 'running'
  return copiedFrom === undefined ? 'template' : 'copy'
}

export function NewConfigDialog({
  wanted,
  onClose,
}: {
  readonly wanted: NewConfig
  readonly onClose: () => void
}) {
  const { copiedFrom } = wanted
  const id = useId()
  const create = useCreate()
  const values: Values = {
    key: wanted.prompt,
    start: selectStart(wanted),
    template: 'coding-agent',
    mode: 'shadow',
    source: copiedFrom ?? '',
    text: '',
  }
  const form = useServerForm({
    values,
    toInput: ({ key, start, template, mode, source, text }) => {
      const to = parseConfigName(key)
      return to === null ? null : { to, start, template, mode, from: parseConfigName(source), text }
    },
    send: create.mutateAsync,
  })
  const { key, start, source, template } = useStore(form.store, (state) => state.values)
  const to = parseConfigName(key)
  const isReady = to !== null && (start !== 'copy' || parseConfigName(source) !== null)
  return (
    <form.AppForm>
      <Dialog
        open
        onOpenChange={(open) => !open && onClose()}
        title={copiedFrom === undefined ? 'New config' : `Duplicate ${copiedFrom}`}
        description="The guardrails of one prompt. Nothing changes for any runtime until it is published."
        actions={
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Submit form={id} variant="primary" disabled={!isReady}>
              Create {to === null ? 'config' : `${to.ns}/${to.key}`}
            </Submit>
          </>
        }
      >
        <Form form={form} id={id}>
          <form.AppField name="key" {...NAME_FIELD}>
            {(field) => (
              <field.TextField
                label="Prompt"
                hint="The prompt's address (ns/key), as set in the runtime"
                autoFocus
                spellCheck={false}
                placeholder="examples/code-review"
                className="font-mono text-mono"
              />
            )}
          </form.AppField>
          <form.AppField name="start">
            {(field) => <field.SelectField label="Start from" options={STARTS} />}
          </form.AppField>
          {start === 'template' && (
            <>
              <form.AppField name="template">
                {(field) => <field.SelectField label="Template" options={TEMPLATE_CHOICES} />}
              </form.AppField>
              <ChosenTemplate name={template} />
              <form.AppField name="mode">
                {(field) => (
                  <field.SelectField
                    label="Rules start in"
                    hint="Shadow mode records what each rule would do, and denies and blocks nothing"
                    options={MODES}
                  />
                )}
              </form.AppField>
            </>
          )}
          {start === 'running' && (
            <RunningPrompt prompt={to} onChoose={(name) => form.setFieldValue('key', name)} />
          )}
          {start === 'copy' && (
            <form.AppField name="source" {...NAME_FIELD}>
              {(field) => (
                <>
                  <field.TextField
                    label="Config to copy"
                    hint="Copies the version live in its last environment, else its newest version, else its draft"
                    list={`${id}-found`}
                    spellCheck={false}
                    className="font-mono text-mono"
                  />
                  <FoundConfigs id={`${id}-found`} text={field.state.value.trim()} />
                </>
              )}
            </form.AppField>
          )}
          {start === 'text' && (
            <form.AppField name="text">
              {(field) => (
                <field.TextareaField
                  label="Document"
                  rows={10}
                  spellCheck={false}
                  placeholder={'{"schema_version": 1, …}'}
                  className="font-mono text-mono"
                />
              )}
            </form.AppField>
          )}
          <FormProblem />
        </Form>
      </Dialog>
    </form.AppForm>
  )
}

function FoundConfigs({ id, text }: { readonly id: string; readonly text: string }) {
  const trpc = useTRPC()
  const found = useQuery(trpc.configs.list.queryOptions({ filter: { q: text }, limit: 8 }))
  return (
    <datalist id={id}>
      {(found.data?.rows ?? []).map((config) => (
        <option key={config.id} value={`${config.ns}/${config.key}`} />
      ))}
    </datalist>
  )
}
