'use client'
// The address has the source (`?from=`), the prompt, and the config to copy (`?source=`).
import { plural } from '@signalbox/core/analysis'
import { useQuery } from '@tanstack/react-query'
import { parseAsString, parseAsStringLiteral, useQueryState } from 'nuqs'
import { type ReactNode, useState } from 'react'
import { ChoiceCards } from '@/components/configs/choice-cards.tsx'
import { SOURCE_NAMES, SOURCES, type SourceName } from '@/components/configs/new-config-sources.ts'
import type { SelectedRules } from '@/components/configs/permission-import.tsx'
import { PromptCombobox, useTakenName } from '@/components/configs/prompt-combobox.tsx'
import { RulePreview, SentenceList } from '@/components/configs/rule-preview.tsx'
import { RunningPrompt } from '@/components/configs/running-prompt.tsx'
import { TemplateCards } from '@/components/configs/template-cards.tsx'
import { type Start, useCreateConfig } from '@/components/configs/use-create-config.ts'
import { NO_CONFIG_NAME, parseConfigName } from '@/components/paths/config-name.ts'
import { PageHeader } from '@/components/shell/page-header.tsx'
import { useConfigRights } from '@/components/shell/use-config-rights.ts'
import type { ChosenRules } from '@/components/suggestions/recorded-rules.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { LinkButton } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { FileButton } from '@/components/ui/file-button.tsx'
import { Field, Input, Textarea } from '@/components/ui/input.tsx'
import { lazySection } from '@/components/ui/lazy-section.tsx'
import { Link } from '@/components/ui/link.tsx'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { ErrorLine, ErrorState, Skeleton } from '@/components/ui/states.tsx'
import type { ListedTemplate } from '@/server/configs/config-templates.ts'
import type { StartMode } from '@/server/configs/templates/template.ts'

const PermissionImport = lazySection(
  () =>
    import('@/components/configs/permission-import.tsx').then((module) => module.PermissionImport),
  <Skeleton className="h-64" />,
)

const RecordedRules = lazySection(
  () =>
    import('@/components/suggestions/recorded-rules.tsx').then((module) => module.RecordedRules),
  <Skeleton className="h-64" />,
)

const TextPreview = lazySection(
  () => import('@/components/configs/text-preview.tsx').then((module) => module.TextPreview),
  <Skeleton className="h-16" />,
)

const MODES = [
  { value: 'shadow', name: 'Shadow mode' },
  { value: 'enforce', name: 'Enforce' },
] as const

const WITH_MODE: ReadonlySet<SourceName> = new Set(['template', 'sessions', 'claude'])

/** The chosen template is in the address, so that other pages lead to it. */
function useTemplates() {
  const trpc = useTRPC()
  const [template, setTemplate] = useQueryState('template', parseAsString)
  const templates = useQuery(trpc.configs.templates.queryOptions())
  const chosen = templates.data?.find(({ name }) => name === template) ?? templates.data?.[0]
  return { templates, chosen, setTemplate }
}

/** `templates` undefined: not loaded. */
function describeSources(templates: number | undefined): string {
  const first = templates === undefined ? 'a template' : `one of ${plural(templates, 'template')}`
  return `Start from ${first}, or from ${SOURCES.length - 1} other sources.`
}

export function NewConfigPage() {
  const [from, setFrom] = useQueryState(
    'from',
    parseAsStringLiteral(SOURCE_NAMES).withDefault('template'),
  )
  const [asked] = useQueryState('prompt', parseAsString)
  const [askedSource] = useQueryState('source', parseAsString)
  const [name, setName] = useState(asked ?? '')
  const [wasLeft, setLeft] = useState(asked !== null)
  const taken = useTakenName(name, wasLeft)
  const { templates, chosen, setTemplate } = useTemplates()
  const [mode, setMode] = useState<StartMode>('shadow')
  const [source, setSource] = useState(askedSource ?? '')
  const [imported, setImported] = useState<SelectedRules | null>(null)
  const [chosenRules, setChosenRules] = useState<ChosenRules | null>(null)
  const [text, setText] = useState('')
  const to = parseConfigName(name)
  const toCopy = parseConfigName(source)
  const starts: { readonly [Name in typeof from]: Start | null } = {
    template: chosen === undefined ? null : { from: 'template', template: chosen.name, mode },
    running: { from: 'running' },
    sessions: toRecordedStart(chosenRules, mode),
    claude: imported === null ? null : { from: 'claude', text: imported.text },
    copy: toCopy === null ? null : { from: 'copy', source: toCopy },
    json: toJsonStart(text),
  }
  const contents: { readonly [Name in typeof from]: ReactNode } = {
    template: <Templates query={templates} chosen={chosen} onChange={setTemplate} />,
    running: (
      <Card>
        <CardHeader title="Running prompt" aside="its tools become the names in the rules" />
        <div className="flex flex-col gap-3 p-3">
          <RunningPrompt prompt={to} onChoose={setName} />
        </div>
      </Card>
    ),
    sessions: <RecordedRules prompt={to} onPrompt={setName} onChoose={setChosenRules} />,
    claude: <PermissionImport mode={mode} onImport={setImported} />,
    copy: <CopyForm value={source} onChange={setSource} />,
    json: <TextForm value={text} onChange={setText} />,
  }
  const previews: { readonly [Name in typeof from]: ReactNode } = {
    template: <TemplatePreview template={chosen} mode={mode} />,
    running: <p className="text-text-2">The config starts with the tools, and without rules.</p>,
    sessions: (
      <Sentences
        title="Chosen rules"
        sentences={chosenRules?.rules.map(({ sentence }) => sentence)}
        without="Rules appear here once a search has found some."
      />
    ),
    claude: (
      <Sentences
        title="Before a call"
        sentences={imported?.sentences}
        without="Rules appear here once a file has been read."
      />
    ),
    copy: <p className="text-text-2">The copy has the rules and modes of the other config.</p>,
    json: <TextPreview text={text} />,
  }
  const title = SOURCES.find(({ value }) => value === from)?.title ?? ''
  return (
    <>
      <PageHeader
        above={
          <nav aria-label="Breadcrumb">
            <Link href="/configs" className="text-link hover:underline">
              Configs
            </Link>{' '}
            › New
          </nav>
        }
        title="New config"
        facts={describeSources(templates.data?.length)}
        actions={
          <LinkButton variant="quiet" href="/configs">
            Cancel
          </LinkButton>
        }
      />
      <div className="flex flex-col gap-2.5 p-4 max-sm:p-3">
        <ChoiceCards
          label="Start from"
          name="from"
          value={from}
          onChange={(next) => void setFrom(next)}
          className="grid grid-cols-6 gap-2 max-lg:grid-cols-3 max-sm:grid-cols-2"
          cards={SOURCES.map(({ value, title, hint, icon: Icon }) => ({
            value,
            name: title,
            description: hint,
            content: (
              <span className="flex min-w-0 items-start gap-2 px-2.5 py-1.5">
                <Icon size={16} className="mt-0.5 shrink-0 text-text-2" aria-hidden />
                <span className="min-w-0">
                  <span className="block font-medium">{title}</span>
                  <span className="block text-small text-text-2">{hint}</span>
                </span>
              </span>
            ),
          }))}
        />
        <a href="#draft" className="text-link underline lg:hidden">
          Go to the prompt and Create draft
        </a>
        <div className="grid grid-cols-[minmax(0,1fr)_336px] items-start gap-3 max-lg:grid-cols-[minmax(0,1fr)]">
          <div className="min-w-0">{contents[from]}</div>
          <aside id="draft" aria-label="Preview" className="sticky top-4 max-lg:static">
            {/* Its foot is in view before the page is scrolled. */}
            <Card className="flex flex-col lg:max-h-[calc(100dvh-183px)]">
              <CardHeader
                title={from === 'template' ? (chosen?.title ?? title) : title}
                actions={
                  from === 'template' && chosen !== undefined ? (
                    <Link
                      href={`/configs/templates/${chosen.name}`}
                      target="_blank"
                      className="whitespace-nowrap text-link text-small hover:underline"
                    >
                      Open the example session
                    </Link>
                  ) : null
                }
              />
              <div className="flex min-h-0 flex-col gap-3 overflow-y-auto p-3">
                <PromptCombobox
                  value={name}
                  wasLeft={wasLeft}
                  onLeft={setLeft}
                  onChange={setName}
                />
                {previews[from]}
                {from === 'template' && chosen?.adapt != null ? (
                  <p className="text-small text-text-2">Before the first release: {chosen.adapt}</p>
                ) : null}
                {WITH_MODE.has(from) ? <ModeChoice mode={mode} onMode={setMode} /> : null}
              </div>
              <CreateDraft
                name={name}
                start={starts[from]}
                withoutStart={from === 'json' ? 'Fix the JSON first.' : 'Choose the rules first.'}
                isTaken={taken !== null}
              />
            </Card>
          </aside>
        </div>
      </div>
    </>
  )
}

function TemplatePreview({
  template,
  mode,
}: {
  /** Undefined: not loaded. */
  readonly template: ListedTemplate | undefined
  readonly mode: StartMode
}) {
  if (template === undefined) return <Skeleton className="h-40" />
  return <RulePreview rules={mode === 'enforce' ? template.enforced : template.rules} />
}

function Sentences({
  title,
  sentences,
  without,
}: {
  readonly title: string
  readonly sentences: readonly string[] | undefined
  /** Shown while there are no sentences. */
  readonly without: string
}) {
  if (sentences === undefined || sentences.length === 0) {
    return <p className="text-text-2">{without}</p>
  }
  return <SentenceList title={title} sentences={sentences} />
}

function ModeChoice({
  mode,
  onMode,
}: {
  readonly mode: StartMode
  readonly onMode: (mode: StartMode) => void
}) {
  return (
    <section className="flex flex-col gap-1">
      <h3 className="font-semibold text-small text-text-2">New rules start in</h3>
      <ChoiceCards
        label="New rules start in"
        name="mode"
        value={mode}
        onChange={onMode}
        className="flex gap-1.5"
        cards={MODES.map(({ value, name }) => ({
          value,
          name,
          content: <span className="px-2 py-1 text-small">{name}</span>,
        }))}
      />
      <p className="text-small text-text-2">
        {mode === 'shadow'
          ? 'Shadow mode records what each rule would do and denies nothing.'
          : 'The rules deny and block from the first release on.'}
      </p>
    </section>
  )
}

/** Null: no rule is chosen. */
function toRecordedStart(chosen: ChosenRules | null, mode: StartMode): Start | null {
  const { environment = '', rules = [] } = chosen ?? {}
  const ids = rules.map(({ id }) => id)
  return ids.length === 0 ? null : { from: 'sessions', environment, ids, mode }
}

/** An empty text starts without rules. An invalid document is accepted, and the editor lists its problems. */
function toJsonStart(text: string): Start | null {
  try {
    JSON.parse(text.trim() || '{}')
    return { from: 'json', text }
  } catch {
    return null
  }
}

function CreateDraft({
  name,
  start,
  withoutStart,
  isTaken,
}: {
  readonly isTaken: boolean
  /** Name of the prompt as it was typed. */
  readonly name: string
  readonly start: Start | null
  /** Reason for which `start` is null. */
  readonly withoutStart: string
}) {
  const { edit } = useConfigRights()
  const create = useCreateConfig()
  const to = parseConfigName(name)
  const missing =
    name.trim() === ''
      ? 'Enter the prompt first.'
      : to === null
        ? NO_CONFIG_NAME
        : isTaken
          ? 'This prompt already has a config.'
          : start === null
            ? withoutStart
            : null
  const isReady = to !== null && start !== null && !isTaken
  return (
    <footer className="flex flex-col gap-2 border-border border-t p-3">
      <div className="flex items-center gap-2.5">
        <ReasonedButton
          variant={isReady ? 'primary' : 'secondary'}
          isAllowed={edit.isAllowed && isReady}
          reason={edit.reason ?? missing}
          disabled={create.isPending}
          onClick={() => isReady && create.mutate({ to, start })}
        >
          Create draft
        </ReasonedButton>
        <span className="text-small text-text-2">
          Nothing changes for any agent until you publish.
        </span>
      </div>
      <ErrorLine>{create.error?.message}</ErrorLine>
    </footer>
  )
}

function Templates({
  query,
  chosen,
  onChange,
}: {
  readonly query: {
    readonly data: readonly ListedTemplate[] | undefined
    readonly error: { readonly message: string } | null
    readonly refetch: () => unknown
  }
  /** Undefined: not loaded. */
  readonly chosen: ListedTemplate | undefined
  readonly onChange: (name: ListedTemplate['name']) => void
}) {
  const { data, error, refetch } = query
  if (data !== undefined && chosen !== undefined)
    return <TemplateCards templates={data} value={chosen.name} onChange={onChange} />
  if (error === null) return <Skeleton className="h-96" />
  return (
    <Card>
      <ErrorState
        what="The templates could not be read."
        why={error}
        onRetry={() => void refetch()}
      />
    </Card>
  )
}

interface TextProps {
  readonly value: string
  readonly onChange: (value: string) => void
}

function CopyForm({ value, onChange }: TextProps) {
  const trpc = useTRPC()
  const found = useQuery(trpc.configs.list.queryOptions({ filter: { q: value.trim() }, limit: 50 }))
  return (
    <Card>
      <CardHeader title="Config to copy" />
      <div className="p-3">
        <Field
          label="Config to copy"
          hint="Copies the version that is live in its last environment, or its newest version, or its draft"
        >
          {(control) => (
            <>
              <Input
                {...control}
                list="configs-to-copy"
                spellCheck={false}
                className="font-mono text-mono"
                placeholder="team/coder"
                value={value}
                onChange={({ target }) => onChange(target.value)}
              />
              <datalist id="configs-to-copy">
                {(found.data?.rows ?? []).map(({ id, ns, key }) => (
                  <option key={id} value={`${ns}/${key}`} />
                ))}
              </datalist>
            </>
          )}
        </Field>
      </div>
    </Card>
  )
}

function TextForm({ value, onChange }: TextProps) {
  return (
    <Card>
      <CardHeader title="Blank or JSON" aside="an empty document starts without rules" />
      <div className="flex flex-col gap-3 p-3">
        <div>
          <FileButton
            label="File"
            accept=".json"
            onFiles={([file]) => void file.text().then(onChange)}
          >
            Choose a file
          </FileButton>
        </div>
        <Field label="Document" hint="The namespace (ns) and key must be those of the prompt">
          {(control) => (
            <Textarea
              {...control}
              rows={16}
              spellCheck={false}
              placeholder={'{"schema_version": 1, …}'}
              className="font-mono text-mono"
              value={value}
              onChange={({ target }) => onChange(target.value)}
            />
          )}
        </Field>
      </div>
    </Card>
  )
}
