'use client'
import { useState } from 'react'
import { type PageKey, usePageKeys } from '@/components/shell/page-keys.ts'
import type { LocatedProblem } from './document/analysis.ts'

export interface EditorActions {
  readonly save: () => void
  readonly publish: () => void
  readonly backtest: () => void
  readonly go: (problem: LocatedProblem) => void
  readonly fix: (problem: LocatedProblem) => void
  readonly undo: () => void
  readonly redo: () => void
  readonly diff: () => void
  readonly history: () => void
  readonly move: (step: 1 | -1) => void
  /** Offset of the cursor in the JSON; null: the focus is elsewhere. */
  readonly cursor: () => number | null
}

/** Null: none, or it is fixed. */
export function useEditorKeys(
  problems: readonly LocatedProblem[],
  actions: EditorActions,
): {
  readonly current: LocatedProblem | null
  readonly setCurrent: (problem: LocatedProblem) => void
} {
  const [last, setCurrent] = useState<LocatedProblem | null>(null)
  const current = problems.find((problem) => isSame(problem, last)) ?? null
  const step = (by: 1 | -1) => {
    const at = current === null ? (by === 1 ? -1 : 0) : problems.indexOf(current)
    const next = problems[(at + by + problems.length) % problems.length]
    if (next !== undefined) actions.go(next)
  }
  const fix = () => {
    const cursor = actions.cursor()
    const here = problems.filter(
      ({ from, to }) => cursor !== null && from <= cursor && cursor <= to,
    )
    const wanted = [...here, ...(current === null ? problems : [current])]
    const problem = wanted.find((one) => one.fix !== null)
    if (problem !== undefined) actions.fix(problem)
  }
  usePageKeys('editor', bindEditorKeys(actions, { step, fix }))
  return { current, setCurrent }
}

function isSame(one: LocatedProblem, other: LocatedProblem | null): boolean {
  return one.pointer === other?.pointer && one.code === other.code && one.message === other.message
}

function bindEditorKeys(
  actions: EditorActions,
  { step, fix }: { readonly step: (by: 1 | -1) => void; readonly fix: () => void },
): readonly PageKey[] {
  const { save, publish, backtest, undo, redo, diff, history, move } = actions
  return [
    { keys: '$mod+s', shown: '⌘S', does: 'save now', run: save },
    { keys: '$mod+Shift+Enter', shown: '⌘⇧Enter', does: 'review and publish', run: publish },
    { keys: '$mod+Enter', shown: '⌘Enter', does: 'run a backtest', run: backtest },
    { keys: '$mod+z', shown: '⌘Z', does: 'undo in form and JSON', run: undo },
    { keys: '$mod+Shift+z', shown: '⌘⇧Z', does: 'redo in form and JSON', run: redo },
    { keys: 'F8', shown: 'F8', does: 'next problem', run: () => step(1) },
    { keys: 'Shift+F8', shown: '⇧F8', does: 'previous problem', run: () => step(-1) },
    { keys: '$mod+.', shown: '⌘.', does: 'apply the fix', run: fix },
    { keys: 'Alt+Shift+KeyD', shown: '⌥⇧D', does: 'differences', run: diff },
    { keys: 'Alt+Shift+KeyH', shown: '⌥⇧H', does: 'earlier texts of the draft', run: history },
    { keys: 'Alt+ArrowUp', shown: '⌥↑', does: 'move the rule up', run: () => move(-1) },
    { keys: 'Alt+ArrowDown', shown: '⌥↓', does: 'move the rule down', run: () => move(1) },
  ]
}
