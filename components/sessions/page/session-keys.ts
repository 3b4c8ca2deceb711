// One table is both bound and listed (specs/session-page.md).

import { type Linked, linkKeys } from '@/components/kit/list/copy-link.ts'
import type { PageKey } from '@/components/shell/page-keys.ts'
import type { Label } from '@/server/labels/label-input.ts'
import type { Wanted } from './use-visible-rows.ts'

export interface SessionActions {
  /** Returns false if there is no wanted row in this direction. */
  readonly step: (direction: 1 | -1, wanted: Wanted) => boolean
  readonly stepState: (direction: 1 | -1) => void
  readonly follow: () => void
  readonly toNow: () => void
  readonly back: () => void
  readonly linked: () => Linked
  readonly why: () => void
  readonly flipPane: () => void
  readonly search: () => void
  readonly onlyMatches: () => void
  readonly zoomIn: () => void
  readonly zoomOut: () => void
  readonly annotate: () => void
  readonly mark: (label: Label) => void
}

type Row = readonly [keys: string, shown: string, does: string, run: () => void]

export function sessionKeys(actions: SessionActions): readonly PageKey[] {
  const { step, stepState } = actions
  const rows: readonly Row[] = [
    ['j', 'j', 'next event', () => step(1, 'event')],
    ['k', 'k', 'previous event', () => step(-1, 'event')],
    ['ArrowDown', '↓', 'next event', () => step(1, 'event')],
    ['ArrowUp', '↑', 'previous event', () => step(-1, 'event')],
    [']', ']', 'next state change', () => stepState(1)],
    ['[', '[', 'previous state change', () => stepState(-1)],
    ['l', 'l', 'next state change', () => stepState(1)],
    ['h', 'h', 'previous state change', () => stepState(-1)],
    ['Shift+}', '}', 'next verdict', () => step(1, 'verdict')],
    ['Shift+{', '{', 'previous verdict', () => step(-1, 'verdict')],
    ['Shift+L', '⇧L', 'next verdict', () => step(1, 'verdict')],
    ['Shift+H', '⇧H', 'previous verdict', () => step(-1, 'verdict')],
    ['w', 'w', 'next warning', () => step(1, 'warning')],
    ['Shift+W', '⇧W', 'previous warning', () => step(-1, 'warning')],
    ['/', '/', 'search this session', actions.search],
    ['n', 'n', 'next match', () => step(1, 'match')],
    ['Shift+N', '⇧N', 'previous match', () => step(-1, 'match')],
    ['o', 'o', 'only matches', actions.onlyMatches],
    ['p', 'p', 'pause or follow updates', actions.follow],
    ['End', 'End', 'return to now', actions.toNow],
    ['i', 'i', 'state or event', actions.flipPane],
    ['y', 'y', 'why: open the explanation', actions.why],
    ['z', 'z', 'zoom the strip to the event', actions.zoomIn],
    ['Shift+Z', '⇧Z', 'show the whole session in the strip', actions.zoomOut],
    ['a', 'a', 'annotate the event, or the session', actions.annotate],
    ['Shift+!', '!', 'mark the decision, or the session, as bad', () => actions.mark('bad')],
    ['Escape', 'Esc', 'return to now, then clear the search', actions.back],
  ]
  return [
    ...rows.map(([keys, shown, does, run]) => ({ keys, shown, does, run })),
    ...linkKeys('the event, or to the session', actions.linked),
  ]
}
