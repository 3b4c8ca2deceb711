'use client'
// Ctrl or Cmd Space completes at the cursor; Ctrl or Cmd Shift Space, or the pointer, explains the field or value there.
import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  completionKeymap,
  startCompletion,
} from '@codemirror/autocomplete'
import { type Extension, Prec, StateEffect, StateField } from '@codemirror/state'
import {
  EditorView,
  hoverTooltip,
  keymap,
  type Rect,
  showTooltip,
  type Tooltip,
} from '@codemirror/view'
import { type Suggestion, suggestionsAt } from './completion.ts'
import type { CustomRule } from './document/schema-walk.ts'
import { explainAt } from './explain.ts'

/** Longest text with help, above the size limit of a config: each lookup parses the text once. */
const LONGEST = 1024 * 1024

const ICONS = {
  field: 'property',
  value: 'constant',
  rule: 'class',
  tool: 'function',
  name: 'variable',
} as const

function toCompletion(suggestion: Suggestion, place: number): Completion {
  const { label, kind, detail, info, edit, cursor } = suggestion
  const first = detail === 'required' ? 1 : 0
  return {
    label,
    type: ICONS[kind],
    boost: first - place / 1000,
    ...(detail === '' ? {} : { detail }),
    ...(info === '' ? {} : { info }),
    apply(view) {
      view.dispatch({
        changes: edit,
        selection: { anchor: cursor },
        userEvent: 'input.complete',
        scrollIntoView: true,
      })
      if (kind === 'field') startCompletion(view)
    },
  }
}

function createCompletionSource(customRules: readonly CustomRule[]) {
  return ({ state, pos, explicit }: CompletionContext): CompletionResult | null => {
    if (state.doc.length > LONGEST) return null
    const found = suggestionsAt(state.doc.toString(), pos, customRules)
    if (found === null) return null
    // Without an explicit request, the list opens only once something is typed, even a quote or a point.
    const isBegun = found.from < pos || /[".]/.test(state.sliceDoc(pos - 1, pos))
    if (!explicit && !isBegun) return null
    return { from: found.from, options: found.options.map(toCompletion) }
  }
}

function tooltipAt(view: EditorView, pos: number, customRules: readonly CustomRule[]) {
  const { doc } = view.state
  if (doc.length > LONGEST) return null
  const found = explainAt(doc.toString(), pos, customRules)
  if (found === null) return null
  const { from, to, title, facts, sentence } = found
  const create = () => {
    const dom = document.createElement('div')
    dom.className = 'cm-explanation'
    dom.setAttribute('role', 'status')
    const line = (className: string, text: string) => {
      const part = document.createElement('div')
      part.className = className
      part.textContent = text
      if (text !== '') dom.append(part)
    }
    line('cm-explanation-title', title)
    line('cm-explanation-facts', facts)
    line('', sentence)
    return { dom }
  }
  return { pos: from, end: to, above: true, create } satisfies Tooltip
}

const explain = StateEffect.define<Tooltip | null>()

const asked = StateField.define<Tooltip | null>({
  create: () => null,
  update(shown, transaction) {
    for (const effect of transaction.effects) if (effect.is(explain)) return effect.value
    return transaction.docChanged || transaction.selection !== undefined ? null : shown
  },
  provide: (field) => showTooltip.from(field),
})

function explainAtCursor(customRules: readonly CustomRule[]) {
  return (view: EditorView): boolean => {
    const tooltip = tooltipAt(view, view.state.selection.main.head, customRules)
    view.dispatch({ effects: explain.of(tooltip) })
    return true
  }
}

function closeExplanation(view: EditorView): boolean {
  if (view.state.field(asked) === null) return false
  view.dispatch({ effects: explain.of(null) })
  return true
}

const theme = EditorView.theme({
  '.cm-explanation': {
    maxWidth: '360px',
    padding: '4px 8px',
    fontFamily: 'var(--font-sans)',
    fontSize: '12px',
    lineHeight: '16px',
  },
  '.cm-explanation-title': { fontFamily: 'var(--font-mono)', fontWeight: '600' },
  '.cm-explanation-facts': { color: 'var(--text-2)' },
  '.cm-tooltip': { border: '1px solid var(--border)', borderRadius: '4px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'var(--font-mono)',
    fontSize: '12px',
    maxHeight: '240px',
    maxWidth: 'min(420px, 92vw)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '2px 8px', minHeight: '24px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    background: 'var(--row-selected)',
    color: 'var(--text)',
  },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '600' },
  '.cm-completionDetail': { color: 'var(--text-2)', fontStyle: 'normal' },
  '.cm-tooltip.cm-completionInfo': {
    padding: '4px 8px',
    fontFamily: 'var(--font-sans)',
    maxWidth: '280px',
  },
})

interface Rectangles {
  readonly list: Rect
  readonly option: Rect
  readonly info: Rect
  readonly space: Rect
}

/** Beside the list if there is room, else below or above it: never over the other options. */
function infoStyle({ list, option, info, space }: Rectangles): string {
  const [width, height] = [list.right - list.left, list.bottom - list.top]
  const [before, after] = [list.left - space.left, space.right - list.right]
  if (Math.max(before, after) < 160) {
    const fits = list.bottom + info.bottom - info.top < space.bottom
    return `${fits ? 'top' : 'bottom'}: ${height}px; left: 0; width: ${width}px`
  }
  const top = `top: ${option.top - list.top}px`
  return after >= before || after >= info.right - info.left
    ? `${top}; left: 100%; max-width: ${Math.min(after, 280)}px`
    : `${top}; right: 100%; max-width: ${Math.min(before, 280)}px`
}

export function jsonHelp(customRules: readonly CustomRule[]): Extension {
  return [
    autocompletion({
      override: [createCompletionSource(customRules)],
      icons: false,
      defaultKeymap: false,
      positionInfo: (...[, list, option, info, space]) => ({
        style: infoStyle({ list, option, info, space }),
      }),
    }),
    hoverTooltip((view, pos) => tooltipAt(view, pos, customRules)),
    asked,
    theme,
    Prec.highest(
      keymap.of([
        ...completionKeymap,
        { key: 'Mod-Space', run: startCompletion },
        { key: 'Mod-Shift-Space', run: explainAtCursor(customRules) },
        { key: 'Escape', run: closeExplanation },
      ]),
    ),
  ]
}
