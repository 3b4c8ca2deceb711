'use client'
// CodeMirror owns the undo history, so edits of the form go through `EditorHandle` and come back as changes, like typed ones.
import { closeBrackets, closeBracketsKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, redo, undo } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import { bracketMatching, foldGutter, foldKeymap, indentOnInput } from '@codemirror/language'
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint'
import { diff } from '@codemirror/merge'
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search'
import { EditorState } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { type RefObject, useEffect, useEffectEvent, useRef } from 'react'
import { editorTheme, jsonColors } from '@/components/kit/diff/editor-theme.ts'
import type { TextEdit } from '@/components/kit/diff/json-edit.ts'
import type { LocatedProblem } from './document/analysis.ts'
import type { CustomRule } from './document/schema-walk.ts'
import { jsonHelp } from './json-help.ts'

export interface EditorHandle {
  /** `typed`: the edit is part of continuous typing, so one undo reverts all of it. */
  readonly apply: (edit: TextEdit, typed: boolean) => void
  readonly replaceAll: (text: string) => void
  readonly goTo: (from: number, to: number) => void
  /** Offset of the cursor while the JSON has the focus; null: the focus is elsewhere. */
  readonly cursor: () => number | null
  readonly undo: () => void
  readonly redo: () => void
}

function toDiagnostic({ from, to, severity, message }: LocatedProblem): Diagnostic {
  return { from, to, severity, message }
}

interface Setup {
  readonly label: string
  readonly readOnly: boolean
  readonly customRules: readonly CustomRule[]
  readonly onText: (text: string) => void
}

/** Keys of the page that CodeMirror must not handle: Alt with an arrow moves a rule, and Mod Enter belongs to the page. */
const PAGE_KEYS = ['Alt-ArrowUp', 'Alt-ArrowDown', 'Mod-Enter']

function extensions({ label, readOnly, customRules, onText }: Setup) {
  return [
    jsonHelp(customRules),
    lineNumbers(),
    lintGutter(),
    foldGutter(),
    history(),
    drawSelection(),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    highlightSelectionMatches(),
    json(),
    editorTheme,
    jsonColors,
    EditorView.lineWrapping,
    EditorState.readOnly.of(readOnly),
    EditorView.contentAttributes.of({
      'aria-label': label,
      tabindex: '0',
      'aria-description':
        'Ctrl Space completes, Ctrl Shift Space explains the field. Press Escape, then Tab, to leave the editor.',
    }),
    // Without indentWithTab, Tab leaves the editor, so that it is no keyboard trap.
    keymap.of([
      ...closeBracketsKeymap,
      ...defaultKeymap.filter(({ key }) => !PAGE_KEYS.includes(key ?? '')),
      ...searchKeymap,
      ...historyKeymap,
      ...foldKeymap,
    ]),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onText(update.state.doc.toString())
    }),
  ]
}

function createEditorHandle(view: EditorView): EditorHandle {
  return {
    apply(edit, typed) {
      const userEvent = typed ? 'input.type.form' : 'input.form'
      view.dispatch({ changes: edit, userEvent, scrollIntoView: false })
    },
    replaceAll(text) {
      // Replaces only the difference, so that the cursor keeps its position.
      const changes = diff(view.state.doc.toString(), text).map(({ fromA, toA, fromB, toB }) => ({
        from: fromA,
        to: toA,
        insert: text.slice(fromB, toB),
      }))
      view.dispatch({ changes, userEvent: 'input.replace' })
    },
    goTo(from, to) {
      const end = view.state.doc.length
      const [anchor, head] = [Math.min(from, end), Math.min(to, end)]
      view.dispatch({
        selection: { anchor, head },
        effects: EditorView.scrollIntoView(anchor, { y: 'center' }),
      })
      view.focus()
    },
    cursor: () => (view.hasFocus ? view.state.selection.main.head : null),
    undo: () => undo(view),
    redo: () => redo(view),
  }
}

export function JsonEditor({
  initialText,
  problems,
  label,
  readOnly,
  customRules,
  handle,
  onLoaded,
  onText,
}: {
  readonly onLoaded: () => void
  readonly initialText: string
  readonly problems: readonly LocatedProblem[]
  readonly label: string
  readonly readOnly: boolean
  /** Custom rules when the editor was opened. */
  readonly customRules: readonly CustomRule[]
  readonly handle: RefObject<EditorHandle | null>
  readonly onText: (text: string) => void
}) {
  const box = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | null>(null)
  const tell = useEffectEvent(onText)
  const tellLoaded = useEffectEvent(onLoaded)
  const start = useEffectEvent(() =>
    EditorState.create({
      doc: initialText,
      extensions: extensions({ label, readOnly, customRules, onText: (text) => tell(text) }),
    }),
  )
  useEffect(() => {
    if (box.current === null) return
    const made = new EditorView({ state: start(), parent: box.current })
    view.current = made
    handle.current = createEditorHandle(made)
    tellLoaded()
    return () => {
      handle.current = null
      view.current = null
      made.destroy()
    }
  }, [handle])
  useEffect(() => {
    const current = view.current
    if (current === null) return
    const end = current.state.doc.length
    const inside = problems.filter(({ from, to }) => from <= end && to <= end)
    current.dispatch(setDiagnostics(current.state, inside.map(toDiagnostic)))
  }, [problems])
  return <div ref={box} className="h-full min-h-0 overflow-hidden" />
}
