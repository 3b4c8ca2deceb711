'use client'
// Added and removed lines have a sign and a word besides their color.
import { json } from '@codemirror/lang-json'
import { MergeView, unifiedMergeView } from '@codemirror/merge'
import { EditorState } from '@codemirror/state'
import { EditorView, lineNumbers } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import { useMedia } from '@/components/ui/use-width.ts'
import { diffSigns } from './diff-signs.ts'
import { editorTheme, jsonColors } from './editor-theme.ts'

// diff-signs.ts marks added and removed lines; hues are reserved for verdicts.
const diffTheme = EditorView.theme({
  '&': { height: 'auto' },
  '&.cm-merge-a .cm-changedLine, &.cm-merge-b .cm-changedLine': { background: 'var(--surface-2)' },
  '&.cm-merge-a .cm-changedText, &.cm-merge-b .cm-changedText': {
    background: 'var(--row-selected)',
    textDecoration: 'underline',
  },
  '.cm-diffSigns': { width: '12px', textAlign: 'center' },
  '.cm-collapsedLines': {
    background: 'var(--surface-2)',
    color: 'var(--text-2)',
    fontFamily: 'var(--font-sans)',
  },
  '.cm-collapsedLines::before, .cm-collapsedLines::after': { content: '""' },
})

const unifiedTheme = EditorView.theme({
  '.cm-deletedChunk': { background: 'var(--surface-2)', paddingLeft: '0' },
  '.cm-deletedChunk .cm-deletedText': {
    background: 'var(--row-selected)',
    textDecoration: 'underline',
  },
  '.cm-deletedLine': { paddingLeft: '6px' },
  '.cm-deletedLine::before': { content: '"− "' },
})

const READING = [
  lineNumbers(),
  diffSigns,
  json(),
  editorTheme,
  diffTheme,
  jsonColors,
  EditorView.lineWrapping,
  EditorState.readOnly.of(true),
  EditorView.editable.of(false),
]

const UNCHANGED = { margin: 3, minSize: 6 }

function named(label: string) {
  return EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' })
}

export interface TextDiffProps {
  readonly before: string
  readonly after: string
  readonly labels: readonly [string, string]
}

function sideBySide(parent: HTMLElement, { before, after, labels: [left, right] }: TextDiffProps) {
  return new MergeView({
    a: { doc: before, extensions: [READING, named(left)] },
    b: { doc: after, extensions: [READING, named(right)] },
    parent,
    gutter: false,
    collapseUnchanged: UNCHANGED,
  })
}

function unified(parent: HTMLElement, { before, after, labels: [left, right] }: TextDiffProps) {
  const original = EditorState.create({ doc: before }).doc
  const merged = unifiedMergeView({
    original,
    gutter: false,
    mergeControls: false,
    collapseUnchanged: UNCHANGED,
  })
  const extensions = [READING, unifiedTheme, merged, named(`${left} → ${right}`)]
  return new EditorView({ doc: after, extensions, parent })
}

export function TextDiff({ before, after, labels }: TextDiffProps) {
  const box = useRef<HTMLDivElement>(null)
  const isNarrow = useMedia('(max-width: 639px)')
  const [left, right] = labels
  useEffect(() => {
    if (box.current === null) return
    const draw = isNarrow ? unified : sideBySide
    const view = draw(box.current, { before, after, labels: [left, right] })
    return () => view.destroy()
  }, [before, after, left, right, isNarrow])
  return (
    <>
      <div className="grid grid-cols-2 border-border border-b text-small text-text-2">
        <span className="px-3 py-1">
          {isNarrow && '− '}
          {left}
        </span>
        <span className="px-3 py-1">
          {isNarrow && '+ '}
          {right}
        </span>
      </div>
      <div ref={box} className="overflow-x-auto text-mono" />
    </>
  )
}
