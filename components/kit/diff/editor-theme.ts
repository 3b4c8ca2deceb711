// Hues stay reserved for verdicts.
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

export const editorTheme = EditorView.theme({
  '&': {
    height: '100%',
    color: 'var(--text)',
    backgroundColor: 'var(--surface)',
    fontSize: '12px',
  },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '20px' },
  '.cm-gutters': {
    backgroundColor: 'var(--surface)',
    color: 'var(--text-3)',
    borderRight: '1px solid var(--border)',
  },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--row-hover)' },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '-2px' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground':
    { backgroundColor: 'var(--row-selected)' },
  '.cm-panels, .cm-tooltip': {
    backgroundColor: 'var(--surface-2)',
    color: 'var(--text)',
    borderColor: 'var(--border)',
  },
  '.cm-foldPlaceholder': { backgroundColor: 'var(--surface-3)', border: 'none', color: 'inherit' },
  '.cm-changedText': { background: 'var(--row-selected)' },
})

export const jsonColors = syntaxHighlighting(
  HighlightStyle.define([
    { tag: tags.propertyName, color: 'var(--text)', fontWeight: '500' },
    { tag: tags.string, color: 'var(--text-2)' },
    { tag: [tags.number, tags.bool, tags.null], color: 'var(--link)' },
    { tag: [tags.punctuation, tags.separator, tags.bracket], color: 'var(--text-3)' },
  ]),
)
