'use client'
// Two texts side by side, unchanged stretches folded. Read-only; added and removed lines carry a mark, not only a colour.
import { json } from '@codemirror/lang-json'
import { MergeView } from '@codemirror/merge'
import { EditorState } from '@codemirror/state'
import { EditorView, lineNumbers } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import { editorTheme, jsonColours } from './json-editor.tsx'

const diffTheme = EditorView.theme({
  '&': { height: 'auto' },
  '.cm-changedLine': { backgroundColor: 'var(--surface-2)' },
  '.cm-deletedChunk': { backgroundColor: 'var(--surface-2)' },
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
