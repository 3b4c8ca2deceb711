'use client'
// Tab, place, publish dialog, earlier texts and compared environment are in the address.
import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { History, Rocket } from 'lucide-react'
import { parseAsString, parseAsStringLiteral, useQueryState } from 'nuqs'
import { type ReactNode, useEffect, useEffectEvent, useMemo, useState } from 'react'
import { useBacktestRun } from '@/components/backtests/use-run.ts'
import { parsePointer, pathAtOffset, rangeAt, swapItems } from '@/components/kit/diff/json-edit.ts'
import { findRulePointer, toPointer } from '@/components/kit/diff/json-values.ts'
import { usePageActions } from '@/components/shell/page-actions.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { lazySection } from '@/components/ui/lazy-section.tsx'
import { Skeleton, SkeletonRows } from '@/components/ui/states.tsx'
import { clockText, useZone } from '@/components/ui/time.tsx'
import { toast } from '@/components/ui/toast.tsx'
import type { PublishTarget, Workbench } from '@/server/configs/drafts.ts'
import type { RuleActivity } from '@/server/configs/rule-activity.ts'
import type { Proven } from './ask/proven-problems.tsx'
import { ConfigForm } from './config-form.tsx'
import type { LocatedProblem } from './document/analysis.ts'
import { listRuleIds } from './document/data-advice.ts'
import { toTextEdit } from './document/fixes.ts'
import { listedRuleAt, neighbor } from './document/rule-moves.ts'
import { editorActions } from './editor-actions.ts'
import { EditorDialogs, LazyHistoryDialog } from './editor-dialogs.tsx'
import { EditorHeader } from './editor-header.tsx'
import { EditorMenu } from './editor-menu.tsx'
import { focusedPointer, revealInForm } from './form-places.ts'
import { HISTORY_LIST } from './history-list.ts'
import { findPlacePointer } from './merged-news.ts'
import { Outline } from './outline.tsx'
import { ProblemsPanel } from './problems-panel.tsx'
import { TABS, TabBar, type TabName } from './tab-bar.tsx'
import { useAccess } from './use-access.ts'
import { useBehind } from './use-behind.ts'
import { type EditorDocument, useAnalysis, useChanges, useDocument } from './use-document.ts'
import { type DraftSession, useDraft } from './use-draft.ts'
import { useEditorKeys } from './use-editor-keys.ts'
import { useMerging } from './use-merging.ts'
import { type OpenCards, useOpenCards } from './use-open-cards.ts'
import { usePresence } from './use-presence.ts'

const JsonEditor = lazySection(
  () => import('./json-editor.tsx').then((module) => module.JsonEditor),
  <Skeleton className="m-3 h-40" />,
)

const BehindBar = lazySection(
  () => import('./behind-bar.tsx').then((module) => module.BehindBar),
  null,
)
const FieldConflicts = lazySection(
  () => import('./field-conflicts.tsx').then((module) => module.FieldConflicts),
  null,
)
const MergedNote = lazySection(
  () => import('./field-conflicts.tsx').then((module) => module.MergedNote),
  null,
)
const ShadowBar = lazySection(
  () => import('./shadow-bar.tsx').then((module) => module.ShadowBar),
  <div className="h-9 shrink-0 border-border border-b bg-surface-2" />,
)
/** Most drafts record nothing, so they do without the bar. */
const RECORDS_ONLY = /"mode"\s*:\s*"shadow"|"max_stop_blocks"\s*:\s*0\b/
const DiffPanel = lazySection(
  () => import('./diff-panel.tsx').then((module) => module.DiffPanel),
  <SkeletonRows />,
)
const BacktestTab = lazySection(
  () => import('@/components/backtests/backtest-tab.tsx').then((module) => module.BacktestTab),
  <SkeletonRows />,
)

const AskPanel = lazySection(
  () => import('./ask/ask-panel.tsx').then((module) => module.AskPanel),
  <SkeletonRows />,
)

const ProvenProblems = lazySection(
  () => import('./ask/proven-problems.tsx').then((module) => module.ProvenProblems),
  null,
)

/** The button is emphasized only where publishing is the next step. */
function selectPublishVariant(
  changes: ReturnType<typeof useChanges>,
  problems: readonly LocatedProblem[],
): 'primary' | 'secondary' {
  const hasErrors = problems.some(({ severity }) => severity === 'error')
  return hasErrors || changes?.length === 0 ? 'secondary' : 'primary'
}

export function Editor({ workbench }: { readonly workbench: Workbench }) {
  const { ns, key, targets } = workbench
  const session = useDraft(workbench)
  const doc = useDocument(session.initialText)
  const activity = useActivity(workbench)
  const released = useMemo(
    () => new Set(targets.flatMap(({ live }) => (live === null ? [] : listRuleIds(live.text)))),
    [targets],
  )
  const cards = useOpenCards(doc.value)
  const [proven, setProven] = useState<Proven | null>(null)
  const analysis = useAnalysis(doc.text, { ...workbench, activity, proven })
  const view = useView(targets)
  const { tab, setTab, compared, setPublish } = view
  const { readOnly, why } = useAccess(workbench)
  const { problems } = analysis
  const { text } = doc
  const { saver } = session
  useEffect(() => saver.change(text), [saver, text])
  useRestoredNotice(session.restored?.at ?? null)
  const { goTo, showPointer, showRule, showPlace } = usePlaces(doc, view, cards)
  const merging = useMerging({ session, doc, showPlace })
  const behind = useBehind(workbench, { session, doc, target: view.target ?? targets[0] })
  const present = usePresence({
    configId: workbench.configId,
    ns,
    key,
    isSaid: !readOnly,
    jsonPointer: () => {
      const cursor = doc.handle.current?.cursor() ?? null
      return cursor === null ? null : toPointer(pathAtOffset(doc.newest(), cursor))
    },
  })
  const review = () => setPublish(targets[0]?.name ?? null)
  const onFix = ({ fix }: LocatedProblem) => {
    if (fix !== null && !readOnly) doc.edit((now) => toTextEdit(now, fix))
  }
  const onGo = (problem: LocatedProblem) => {
    setCurrent(problem)
    goTo(problem.from, problem.to, problem.pointer)
  }
  const backtest = useBacktestRun({
    ns,
    key,
    why,
    ...prepareBacktest(workbench, session, problems),
  })
  const runBacktest = () => {
    setTab('backtest')
    backtest.run()
  }
  const save = () => void saver.flush()
  const showDiff = () => setTab(tab === 'diff' ? 'form' : 'diff')
  usePageActions(
    editorActions({
      tab,
      why,
      hasTarget: targets.length > 0,
      hindrance: backtest.hindrance,
      runBacktest,
      review,
      showDiff,
      save,
    }),
  )
  const { current, setCurrent } = useEditorKeys(problems, {
    save,
    publish: review,
    backtest: runBacktest,
    go: onGo,
    fix: onFix,
    undo: () => doc.handle.current?.undo(),
    redo: () => doc.handle.current?.redo(),
    diff: showDiff,
    history: () => view.setHistory(HISTORY_LIST),
    move: (step) => !readOnly && moveRule(doc, step),
    cursor: () => doc.handle.current?.cursor() ?? null,
  })
  const changes = useChanges(analysis, compared?.live?.text ?? null)
  const isDiff = tab === 'diff'
  const isText = tab === 'form' || tab === 'json'
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <EditorHeader workbench={workbench} session={session} present={present}>
        <Button
          title="Show earlier texts of the draft"
          onClick={() => view.setHistory(HISTORY_LIST)}
        >
          <History size={14} aria-hidden /> <span className="max-xl:sr-only">History</span>
        </Button>
        {!readOnly && (
          <EditorMenu workbench={workbench} session={session} onText={doc.replaceAll} />
        )}
        <Button
          variant={selectPublishVariant(changes, problems)}
          disabled={targets.length === 0 || readOnly}
          onClick={review}
        >
          <Rocket size={14} aria-hidden /> Review and publish
        </Button>
      </EditorHeader>
      <Notices
        why={why}
        session={session}
        merging={merging}
        behind={behind}
        readOnly={readOnly}
        onShow={showPlace}
      />
      {!readOnly && RECORDS_ONLY.test(text) && <ShadowBar doc={doc} />}
      <TabBar tab={tab} onTab={setTab} changes={changes?.length ?? null} />
      <div className="flex min-h-0 flex-1">
        {isText && doc.value !== null && (
          <Outline value={doc.value} problems={problems} onShow={showRule} />
        )}
        <Pane shown={tab === 'form'} beside={isText}>
          <ConfigForm
            doc={doc}
            problems={problems}
            readOnly={readOnly}
            customRules={workbench.customRules}
            activity={activity}
            released={released}
            inherited={analysis.inherited}
            cards={cards}
            onGo={onGo}
            onShow={showPointer}
            onFix={onFix}
          />
        </Pane>
        <Pane shown={tab === 'json'} beside={isText} className="border-border border-l bg-surface">
          <JsonEditor
            initialText={doc.text}
            problems={problems}
            label={`JSON of ${ns}/${key}`}
            readOnly={readOnly}
            customRules={workbench.customRules}
            handle={doc.handle}
            onLoaded={doc.onLoaded}
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
        {tab === 'backtest' && (
          <div className="min-w-0 flex-1">
            <BacktestTab ns={ns} prompt={key} run={backtest} why={why} />
          </div>
        )}
        {tab === 'ask' && (
          <div className="min-w-0 flex-1">
            <AskPanel
              prompt={workbench}
              document={analysis.document}
              live={view.target ?? targets[0] ?? null}
            />
          </div>
        )}
      </div>
      {text !== session.initialText && <ProvenProblems analysis={analysis} onFound={setProven} />}
      <ProblemsPanel
        problems={problems}
        current={current}
        readOnly={readOnly}
        onGo={onGo}
        onFix={onFix}
      />
      <EditorDialogs
        workbench={workbench}
        session={session}
        analysis={analysis}
        doc={doc}
        onGo={onGo}
        merging={merging}
        behind={behind}
        target={view.target}
        onTarget={setPublish}
        onBacktest={() => setTab('backtest')}
      />
      <LazyHistoryDialog
        workbench={workbench}
        doc={doc}
        why={why}
        readOnly={readOnly}
        shown={view.history}
        onShow={view.setHistory}
      />
    </div>
  )
}

function Notices({
  why,
  session,
  merging,
  behind,
  readOnly,
  onShow,
}: {
  readonly why: string | null
  readonly session: DraftSession
  readonly merging: ReturnType<typeof useMerging>
  readonly behind: ReturnType<typeof useBehind>
  readonly readOnly: boolean
  readonly onShow: (place: string) => void
}) {
  const { state } = session
  const isConflict = state.kind === 'conflict'
  return (
    <>
      {why !== null && (
        <p className="shrink-0 border-border border-b bg-surface-2 px-4 py-1 text-text-2">{why}</p>
      )}
      {merging.note !== null && (
        <MergedNote note={merging.note} onShow={onShow} onClose={merging.dismiss} />
      )}
      {isConflict && merging.open && merging.merge !== null && (
        <FieldConflicts
          merge={merging.merge}
          who={state.theirs?.updatedByName ?? 'Another user'}
          onChosen={merging.choose}
        />
      )}
      {behind !== null && !isConflict && <BehindBar behind={behind} readOnly={readOnly} />}
    </>
  )
}

/** Uses the draft as saved at its start, or the base version without a draft. */
function prepareBacktest(
  { base }: Workbench,
  { saver }: DraftSession,
  problems: readonly LocatedProblem[],
) {
  return {
    errors: problems.filter(({ severity }) => severity === 'error').length,
    subject: async () => {
      const seen = await saver.flush()
      if (seen !== null) return { kind: 'draft' as const, ...seen }
      return base === null ? null : { kind: 'version' as const, number: base.number }
    },
  }
}

type View = ReturnType<typeof useView>

/** The place is in the address, so that it can be shared. */
function usePlaces(
  doc: EditorDocument,
  { tab, setTab, path, rule, setPath }: View,
  { setOpen }: OpenCards,
) {
  /** A closed card shows no fields. */
  const openAround = (pointer: string) => {
    const steps = pointer.split('/')
    for (let depth = 2; depth <= steps.length; depth++) {
      setOpen(steps.slice(0, depth).join('/'), true)
    }
  }
  const goTo = (from: number, to: number, pointer: string) => {
    setPath(pointer === '' ? null : pointer)
    // A narrow screen shows one of the two panels: the open one, or the JSON if it shows neither.
    const isNarrow = window.innerWidth < 1024
    openAround(pointer)
    const staysInForm = isNarrow && tab === 'form'
    if (tab !== 'form' && tab !== 'json') setTab(isNarrow ? 'json' : 'form')
    // The pane may have been hidden; the cursor moves there after layout.
    requestAnimationFrame(() => {
      revealInForm(pointer, staysInForm)
      if (!staysInForm) doc.handle.current?.goTo(from, to)
    })
  }
  const showPointer = (pointer: string) => {
    const range = rangeAt(doc.text, parsePointer(pointer, doc.text))
    if (range === null) return
    if (window.innerWidth < 1024) setTab('json')
    setPath(pointer)
    requestAnimationFrame(() => doc.handle.current?.goTo(range.from, range.to))
  }
  const showRule = (pointer: string) => {
    setPath(pointer)
    openAround(pointer)
    requestAnimationFrame(() => revealInForm(pointer, true))
  }
  const goToPointer = (pointer: string) => {
    const text = doc.newest()
    const range = rangeAt(text, parsePointer(pointer, text))
    if (range !== null) goTo(range.from, range.to, pointer)
  }
  const isLoaded = doc.isLoaded
  const openPlace = useEffectEvent(() => {
    const place = path ?? (rule === null ? null : findRulePointer(doc.value, rule))
    if (place !== null) goToPointer(place)
  })
  useEffect(() => {
    if (isLoaded) openPlace()
  }, [isLoaded])
  const showPlace = (place: string) => goToPointer(findPlacePointer(doc.newest(), place))
  return { goTo, showPointer, showRule, showPlace }
}

function moveRule(doc: EditorDocument, step: 1 | -1): void {
  const { value } = doc
  const text = doc.newest()
  const cursor = doc.handle.current?.cursor() ?? null
  const focused = focusedPointer()
  const place =
    cursor !== null
      ? pathAtOffset(text, cursor)
      : focused !== null
        ? parsePointer(focused, text)
        : []
  const rule = listedRuleAt(place)
  const next = rule === null || value === null ? null : neighbor(value, rule, step)
  if (rule === null || next === null) return
  const first = Math.min(Number(rule.at(-1)), Number(next.at(-1)))
  doc.edit((now) => swapItems(now, rule.slice(0, -1), first))
  const moved = [...next, ...place.slice(rule.length)]
  requestAnimationFrame(() => {
    if (cursor === null) revealInForm(toPointer(moved), true)
    const start = cursor === null ? null : rangeAt(doc.newest(), next)
    if (start !== null) doc.handle.current?.goTo(start.from, start.from)
  })
}

/** Both panes stay mounted. */
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
      className={clsx(
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
  const [path, setPath] = useQueryState('path', parseAsString)
  const [rule] = useQueryState('rule', parseAsString)
  const [history, setHistory] = useQueryState('history', parseAsString)
  const named = (name: string | null) => targets.find((target) => target.name === name)
  return {
    tab,
    path,
    rule,
    setPath: (pointer: string | null) => void setPath(pointer),
    history,
    setHistory: (shown: string | null) => void setHistory(shown),
    compared: named(against) ?? targets[0],
    /** Undefined: the dialog is closed. */
    target: publish === null ? undefined : (named(publish) ?? targets[0]),
    setTab: (next: TabName) => void setTab(next),
    setPublish: (name: string | null) => void setPublish(name),
    setAgainst: (name: string) => void setAgainst(name),
  }
}

/** Null: not loaded. Activity is only advice, so an error is not shown. */
function useActivity({ ns, key }: Workbench): RuleActivity | null {
  const trpc = useTRPC()
  const { data } = useQuery(trpc.drafts.activity.queryOptions({ ns, key }))
  return data ?? null
}

function useRestoredNotice(at: number | null): void {
  const zone = useZone()
  useEffect(() => {
    if (at !== null)
      toast(`Restored the text of ${clockText(at, zone).slice(0, 8)} from this browser`)
  }, [at, zone])
}
