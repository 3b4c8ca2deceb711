'use client'
// The editor: form and JSON side by side over one text, problems beneath, diff and publish on top. What is shown (tab,
// publish dialog, compared environment) is in the URL.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Rocket, Upload } from 'lucide-react'
import dynamic from 'next/dynamic'
import Link from 'next/link'
import { parseAsString, parseAsStringLiteral, useQueryState } from 'nuqs'
import { type ReactNode, useEffect, useEffectEvent, useRef } from 'react'
import type { PublishTarget, Workbench } from '@/server/services/drafts.ts'
import { configPath } from '../configs/config-path.ts'
import { useTRPC, useTRPCClient } from '../trpc-provider.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { cn } from '../ui/class-names.ts'
import { PageHeader } from '../ui/page-header.tsx'
import { Skeleton } from '../ui/states.tsx'
import { clockText, useZone } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'
import type { Analysis, LocatedProblem } from './analysis.ts'
import { ConfigForm } from './config-form.tsx'
import { ConflictPanel } from './conflict-panel.tsx'
import { DiffPanel, useChanges } from './diff-panel.tsx'
import { DiscardButton } from './discard-button.tsx'
import { FieldConflicts, MergedNote } from './field-conflicts.tsx'
import { pathOf, rangeAt } from './json-edit.ts'
import { Outline } from './outline.tsx'
import { ProblemsPanel } from './problems-panel.tsx'
import { PublishDialog } from './publish-dialog.tsx'
import { SaveStatus } from './save-status.tsx'
import { type EditorDocument, useAnalysis, useDocument } from './use-document.ts'
import { type DraftSession, toEditorText, useDraft } from './use-draft.ts'
import { type Merging, useMerging } from './use-merging.ts'

const JsonEditor = dynamic(() => import('./json-editor.tsx').then((module) => module.JsonEditor), {
  ssr: false,
  loading: () => <Skeleton className="m-3 h-40" />,
})

const TABS = ['form', 'json', 'diff'] as const
type TabName = (typeof TABS)[number]

const MOST_UPLOADED_BYTES = 16 * 1024 * 1024

export function Editor({ workbench }: { readonly workbench: Workbench }) {
  const { ns, key, targets } = workbench
  const session = useDraft(workbench)
  const doc = useDocument(session.initialText)
  const analysis = useAnalysis(doc.text, workbench)
  const view = useView(targets)
  const { tab, setTab, compared, setPublish } = view
  const { role, readOnly, why } = useAccess(workbench)
  const { problems } = analysis
  const { text } = doc
  const { saver } = session
  useEffect(() => saver.change(text), [saver, text])
  useRestoredNotice(session.restored?.at ?? null)
  const merging = useMerging(session, doc)
  const goTo = (from: number, to: number) => {
    if (tab === 'diff' || window.innerWidth < 1024) setTab('json')
    // The pane may have been hidden until now; the cursor goes there once it is laid out.
    requestAnimationFrame(() => doc.handle.current?.goTo(from, to))
  }
  const onGo = ({ from, to }: LocatedProblem) => goTo(from, to)
  const onShow = (pointer: string) => {
    const range = rangeAt(doc.text, pathOf(pointer, doc.text))
    if (range !== null) goTo(range.from, range.to)
  }
  const review = () => setPublish(targets[0]?.name ?? null)
  useEditorKeys(problems, onGo, review)
  const changes = useChanges(analysis, compared?.live?.text ?? null)
  const isDiff = tab === 'diff'
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <EditorHeader workbench={workbench} session={session}>
        {!readOnly && <DiscardButton workbench={workbench} session={session} />}
        {!readOnly && <UploadButton onText={doc.replaceAll} />}
        <Button variant="primary" disabled={targets.length === 0 || readOnly} onClick={review}>
          <Rocket size={14} aria-hidden /> Review and publish
        </Button>
      </EditorHeader>
      {why !== null && (
        <p className="shrink-0 border-border border-b bg-surface-2 px-4 py-1 text-text-2">{why}</p>
      )}
      <MergedNote note={merging.note} onClose={merging.dismiss} />
      <TabBar tab={tab} onTab={setTab} changes={changes?.length ?? null} />
      <div className="flex min-h-0 flex-1">
        {!isDiff && doc.value !== null && <Outline value={doc.value} problems={problems} />}
        <Pane shown={tab === 'form'} beside={!isDiff}>
          <ConfigForm
            doc={doc}
            problems={problems}
            readOnly={readOnly}
            onGo={onGo}
            onShow={onShow}
          />
        </Pane>
        <Pane shown={tab === 'json'} beside={!isDiff} className="border-border border-l bg-surface">
          <JsonEditor
            initialText={doc.text}
            problems={problems}
            label={`JSON of ${ns}/${key}`}
            readOnly={readOnly}
            customRules={workbench.customRules}
            handle={doc.handle}
            onText={doc.onText}
          />
        </Pane>
        {isDiff && compared !== undefined && (
          <div className="min-w-0 flex-1">
            <DiffPanel
              analysis={analysis}
              target={compared}
              targets={targets}
              onTarget={view.setAgainst}
            />
          </div>
        )}
      </div>
      <ProblemsPanel problems={problems} onGo={onGo} />
      <EditorDialogs {...{ workbench, session, analysis, doc, view, role, onGo, merging }} />
    </div>
  )
}

/** Two panes stand beside each other on wide screens; a narrow one has the chosen one only. Both stay mounted. */
function Pane({
  shown,
  beside,
  className,
  children,
}: {
  readonly shown: boolean
  readonly beside: boolean
  readonly className?: string
  readonly children: ReactNode
}) {
  return (
    <div
      className={cn(
        'min-h-0 min-w-0 flex-1',
        !shown && 'max-lg:hidden',
        !beside && 'lg:hidden',
        className,
      )}
    >
      {children}
    </div>
  )
}

function useView(targets: readonly PublishTarget[]) {
  const [tab, setTab] = useQueryState('tab', parseAsStringLiteral(TABS).withDefault('form'))
  const [publish, setPublish] = useQueryState('publish', parseAsString)
  const [against, setAgainst] = useQueryState('against', parseAsString)
  const named = (name: string | null) => targets.find((target) => target.name === name)
  return {
    tab,
    compared: named(against) ?? targets[0],
    /** Undefined while the dialog is closed. */
    target: publish === null ? undefined : (named(publish) ?? targets[0]),
    setTab: (next: TabName) => void setTab(next),
    setPublish: (name: string | null) => void setPublish(name),
    setAgainst: (name: string) => void setAgainst(name),
  }
}

function useAccess({ archivedAt }: Workbench) {
  const trpc = useTRPC()
  const { data } = useQuery(trpc.members.me.queryOptions())
  const role = data?.role ?? 'viewer'
  if (archivedAt !== null) {
    return { role, readOnly: true, why: 'This config is archived and can only be read.' }
  }
  if (data?.role === 'viewer') {
    const why =
      'Your role viewer does not include draft.edit. Editors, publishers and admins have it.'
    return { role, readOnly: true, why }
  }
  return { role, readOnly: role === 'viewer', why: null }
}

function EditorDialogs({
  workbench,
  session,
  analysis,
  doc,
  view,
  role,
  onGo,
  merging,
}: {
  readonly merging: Merging
  readonly workbench: Workbench
  readonly session: DraftSession
  readonly analysis: Analysis
  readonly doc: EditorDocument
  readonly view: ReturnType<typeof useView>
  readonly role: string
  readonly onGo: (problem: LocatedProblem) => void
}) {
  const updateDraft = useUpdateDraft(workbench, session)
  const { state, saver } = session
  const { target, setPublish } = view
  if (state.kind === 'conflict' && merging.open) {
    if (merging.merge !== null) {
      return (
        <FieldConflicts merge={merging.merge} theirs={state.theirs} onChosen={merging.choose} />
      )
    }
    const takeTheirs = () => {
      const theirs = saver.takeTheirs()
      if (theirs !== null) doc.replaceAll(theirs)
    }
    return (
      <ConflictPanel
        mine={doc.text}
        theirs={state.theirs}
        onKeepMine={saver.keepMine}
        onTakeTheirs={takeTheirs}
      />
    )
  }
  if (target === undefined) return null
  const showProblem = () => {
    setPublish(null)
    const problem = analysis.problems[0]
    if (problem !== undefined) onGo(problem)
  }
  return (
    <PublishDialog
      workbench={workbench}
      analysis={analysis}
      session={session}
      mayPublish={role === 'publisher' || role === 'admin'}
      target={target}
      onTarget={setPublish}
      onUpdateDraft={updateDraft}
      onShowProblem={showProblem}
    />
  )
}

function EditorHeader({
  workbench,
  session,
  children,
}: {
  readonly workbench: Workbench
  readonly session: DraftSession
  readonly children: ReactNode
}) {
  const { ns, key, draft } = workbench
  return (
    <PageHeader
      above={
        <>
          <Link href="/configs" className="text-link hover:underline">
            Configs
          </Link>
          {' › '}
          <Link href={configPath(ns, key)} className="text-link hover:underline">
            {ns}/{key}
          </Link>
        </>
      }
      title={`Edit ${ns}/${key}`}
      facts={
        <>
          <DraftFacts workbench={workbench} />
          <span aria-hidden>·</span>
          <SaveStatus state={session.state} savedAt={draft?.updatedAt ?? null} />
        </>
      }
      actions={children}
    />
  )
}

function DraftFacts({ workbench }: { readonly workbench: Workbench }) {
  const { draft, base, targets } = workbench
  const version = draft === null ? (base?.number ?? null) : draft.baseVersion
  const live = targets.flatMap(({ name, live: now }) =>
    now === null ? [] : [`v${now.number} in ${name}`],
  )
  return (
    <span>
      {version === null ? 'Draft of the first version' : `Draft of v${version}`}
      {' · '}
      {live.length === 0 ? 'nothing live' : `live ${live.join(', ')}`}
    </span>
  )
}

function TabBar({
  tab,
  onTab,
  changes,
}: {
  readonly tab: TabName
  readonly onTab: (tab: TabName) => void
  /** Against the compared environment; null while the draft is not valid. */
  readonly changes: number | null
}) {
  const button = (name: TabName, label: string, className = '') => (
    <button
      type="button"
      aria-pressed={tab === name}
      onClick={() => onTab(name)}
      className={cn(
        '-mb-px h-9 border-transparent border-b-2 px-2 text-text-2 hover:text-text aria-pressed:border-text aria-pressed:font-medium aria-pressed:text-text',
        className,
      )}
    >
      {label}
    </button>
  )
  const isWideForm = tab === 'json'
  return (
    <div
      role="toolbar"
      aria-label="View"
      className="flex shrink-0 gap-1 border-border border-b bg-surface px-2"
    >
      {button('form', 'Form', 'lg:hidden')}
      {button('json', 'JSON', 'lg:hidden')}
      <button
        type="button"
        aria-pressed={tab === 'form' || isWideForm}
        onClick={() => onTab('form')}
        className="-mb-px hidden h-9 border-transparent border-b-2 px-2 text-text-2 hover:text-text aria-pressed:border-text aria-pressed:font-medium aria-pressed:text-text lg:block"
      >
        Form + JSON
      </button>
      {button('diff', changes === null ? 'Diff' : `Diff ${changes}`)}
    </div>
  )
}

/** F8 and Shift F8 go through the problems; Mod Shift Enter opens review and publish. */
function useEditorKeys(
  problems: readonly LocatedProblem[],
  onGo: (problem: LocatedProblem) => void,
  onPublish: () => void,
): void {
  const at = useRef(-1)
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key === 'F8' && problems.length > 0) {
      event.preventDefault()
      const step = event.shiftKey ? -1 : 1
      at.current = (at.current + step + problems.length) % problems.length
      const problem = problems[at.current]
      if (problem !== undefined) onGo(problem)
    }
    if (event.key === 'Enter' && event.shiftKey && (event.metaKey || event.ctrlKey)) {
      event.preventDefault()
      onPublish()
    }
  })
  useEffect(() => {
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
}

function useRestoredNotice(at: number | null): void {
  const zone = useZone()
  useEffect(() => {
    if (at !== null)
      toast(`Restored the text of ${clockText(at, zone).slice(0, 8)} from this browser`)
  }, [at, zone])
}

function useUpdateDraft(workbench: Workbench, session: DraftSession) {
  const client = useTRPCClient()
  const queries = useQueryClient()
  const trpc = useTRPC()
  return async (baseVersion: number): Promise<void> => {
    const seen = await session.saver.flush()
    if (seen === null) return
    const { ns, key } = workbench
    await client.drafts.rebase.mutate({ ns, key, ...seen, baseVersion })
    await queries.invalidateQueries({ queryKey: trpc.drafts.open.queryKey() })
  }
}

function UploadButton({ onText }: { readonly onText: (text: string) => void }) {
  const input = useRef<HTMLInputElement>(null)
  const read = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return
    if (file.size > MOST_UPLOADED_BYTES) {
      const size = Math.ceil(file.size / 1024 / 1024)
      toast.error(`${file.name} has ${size} MiB. A config has at most 1 MiB, so it was not opened.`)
      return
    }
    onText(toEditorText(await file.text()))
  }
  return (
    <>
      <input
        ref={input}
        type="file"
        accept="application/json,.json"
        aria-label="Config file"
        className="sr-only"
        tabIndex={-1}
        onChange={({ target }) => {
          void read(target.files?.[0])
          target.value = ''
        }}
      />
      <IconButton
        label="Open a file in place of the text"
        variant="secondary"
        onClick={() => input.current?.click()}
      >
        <Upload size={14} aria-hidden />
      </IconButton>
    </>
  )
}
