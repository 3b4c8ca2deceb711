// Keys shared by all lists (specs/lists.md). A list binds only the keys that it supports, and `?` lists only bound keys.

import type { PageKey } from '@/components/shell/page-keys.ts'
import { type Linked, linkKeys } from './copy-link.ts'

export interface ListModel {
  readonly noun: string
  readonly move: (by: 1 | -1) => void
  readonly first: () => void
  readonly last: () => void
  readonly open: () => void
  readonly peek?: (() => void) | undefined
  readonly closePeek?: (() => void) | undefined
  readonly mark?: (() => void) | undefined
  readonly extend?: ((by: 1 | -1) => void) | undefined
  readonly showFresh?: (() => void) | undefined
  readonly filter?: (() => void) | undefined
  readonly why?: (() => void) | undefined
  /** Link to copy: that of the focused row, else of the list. */
  readonly linked?: (() => Linked) | undefined
  readonly actions?: (() => void) | undefined
  readonly search?: (() => void) | undefined
}

/** Returns true for rows, and for the page itself before anything has the focus. */
function isListed(focused: Element): boolean {
  return focused === document.body || focused.hasAttribute('data-row')
}

type Act = (() => void) | undefined

const SHIFTED = { 'Shift+J': '⇧J', 'Shift+K': '⇧K', 'Shift+G': '⇧G', Escape: 'Esc' }

function shownAs(keys: string): string {
  return keys in SHIFTED
    ? SHIFTED[keys as keyof typeof SHIFTED]
    : keys.replace('ArrowDown', '↓').replace('ArrowUp', '↑')
}

export function listKeys(list: ListModel): readonly PageKey[] {
  const { noun, move, extend } = list
  const next = (): void => move(1)
  const previous = (): void => move(-1)
  const extendBy = (by: 1 | -1): Act => (extend === undefined ? undefined : () => extend(by))
  const anywhere: readonly (readonly [string, string, Act])[] = [
    ['j', `next ${noun}`, next],
    ['k', `previous ${noun}`, previous],
    ['g g', `first ${noun}`, list.first],
    ['Shift+G', `last loaded ${noun}`, list.last],
    ['y', 'why: open the explanation', list.why],
    ['x', 'mark', list.mark],
    ['Shift+J', 'mark downwards', extendBy(1)],
    ['Shift+K', 'mark upwards', extendBy(-1)],
    ['r', `show new ${noun}s`, list.showFresh],
    ['f', 'add a filter', list.filter],
    ['.', 'row actions', list.actions],
    ['/', 'search', list.search],
    ['Escape', 'close the peek', list.closePeek],
  ]
  const onRows: readonly (readonly [string, string, Act])[] = [
    ['ArrowDown', `next ${noun}`, next],
    ['ArrowUp', `previous ${noun}`, previous],
    ['Home', `first ${noun}`, list.first],
    ['End', `last loaded ${noun}`, list.last],
    ['Enter', 'open', list.open],
    ['Space', 'peek', list.peek],
  ]
  const bound = (
    [keys, does, run]: readonly [string, string, Act],
    isFor?: PageKey['isFor'],
  ): readonly PageKey[] =>
    run === undefined
      ? []
      : [{ keys, shown: shownAs(keys), does, run, ...(isFor === undefined ? {} : { isFor }) }]
  return [
    ...anywhere.flatMap((row) => bound(row)),
    ...(list.linked === undefined ? [] : linkKeys(`the ${noun}, or to the list`, list.linked)),
    ...onRows.flatMap((row) => bound(row, isListed)),
  ]
}

export function focusFilter(): void {
  const controls = ['input', 'select', 'button', '[role="combobox"]']
  const within = controls.map((control) => `main [data-filters] ${control}`).join(', ')
  document.querySelector<HTMLElement>(within)?.focus()
}
