'use client'
// Two texts side by side, unchanged stretches folded. Read-only; added and removed lines carry a mark, not only a colour.
import { json } from '@codemirror/lang-json'
import { MergeView } from '@codemirror/merge'
import { EditorState } from '@codemirror/state'
import { EditorView, lineNumbers } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import { editorTheme, jsonColours } from './json-editor.tsx'

// Added and removed are told by the sign in the gutter; hues stay reserved for verdicts.
const diffTheme = EditorView.theme({
  '&': { height: 'auto' },
  '&.cm-merge-a .cm-changedLine, &.cm-merge-b .cm-changedLine': { background: 'var(--surface-2)' },
  '&.cm-merge-a .cm-changedText, &.cm-merge-b .cm-changedText': {
    background: 'var(--row-selected)',
    textDecoration: 'underline',
  },
  '&.cm-merge-a .cm-changedLineGutter, &.cm-merge-b .cm-changedLineGutter': {
    background: 'transparent',
    position: 'relative',
  },
  '.cm-changeGutter': { width: '12px', paddingLeft: '0' },
  '&.cm-merge-a .cm-changedLineGutter::before': { content: '"−"', paddingLeft: '2px' },
  '&.cm-merge-b .cm-changedLineGutter::before': { content: '"+"', paddingLeft: '2px' },
  '.cm-collapsedLines': {
    background: 'var(--surface-2)',
    color: 'var(--text-2)',
    fontFamily: 'var(--font-sans)',
  },
  '.cm-collapsedLines::before, .cm-collapsedLines::after': { content: '""' },
})

function side(doc: string, label: string) {
  return {
    doc,
    extensions: [
      lineNumbers(),
      json(),
      editorTheme,
      diffTheme,
      jsonColours,
      EditorView.lineWrapping,
      EditorState.readOnly.of(true),
      EditorView.editable.of(false),
      EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
    ],
  }
}

export function TextDiff({
  before,
  after,
  labels,
}: {
  readonly before: string
  readonly after: string
  /** Accessible names of the two sides. */
  readonly labels: readonly [string, string]
}) {
  const box = useRef<HTMLDivElement>(null)
  const [left, right] = labels
  useEffect(() => {
    if (box.current === null) return
    const view = new MergeView({
      a: side(before, left),
      b: side(after, right),
      parent: box.current,
      gutter: true,
      collapseUnchanged: { margin: 3, minSize: 6 },
    })
    return () => view.destroy()
  }, [before, after, left, right])
  return <div ref={box} className="overflow-x-auto text-mono" />
}
