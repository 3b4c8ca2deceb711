import { getChunks } from '@codemirror/merge'
import { type EditorState, type Extension, type Range, RangeSet } from '@codemirror/state'
import {
  Decoration,
  type DecorationSet,
  type EditorView,
  GutterMarker,
  gutter,
  ViewPlugin,
  type ViewUpdate,
  WidgetType,
} from '@codemirror/view'

class Sign extends GutterMarker {
  readonly #sign: string

  constructor(sign: string) {
    super()
    this.#sign = sign
  }

  override toDOM(): Text {
    return document.createTextNode(this.#sign)
  }
}

class HiddenWord extends WidgetType {
  readonly #word: string

  constructor(word: string) {
    super()
    this.#word = word
  }

  override toDOM(): HTMLElement {
    const span = document.createElement('span')
    span.className = 'sr-only'
    span.textContent = `${this.#word}: `
    return span
  }
}

/** `a`, the older text, has the removed lines; `b`, the newer one, the added lines. */
const MARKS = {
  a: createSignMark('−', 'removed'),
  b: createSignMark('+', 'added'),
}

function createSignMark(sign: string, word: string) {
  return {
    sign: new Sign(sign),
    word: Decoration.widget({ widget: new HiddenWord(word), side: -1 }),
  }
}

interface Drawn {
  readonly signs: RangeSet<GutterMarker>
  readonly words: DecorationSet
}

function drawnIn({ state, viewport }: EditorView): Drawn {
  const found = getChunks(state)
  const side = found?.side ?? null
  if (found === null || side === null) return { signs: RangeSet.empty, words: Decoration.none }
  const signs: Range<GutterMarker>[] = []
  const words: Range<Decoration>[] = []
  for (const chunk of found.chunks) {
    const [from, to] = side === 'a' ? [chunk.fromA, chunk.toA] : [chunk.fromB, chunk.toB]
    const last = Math.min(to, viewport.to + 1)
    for (let at = Math.max(from, viewport.from); at < last; ) {
      const line = state.doc.lineAt(at)
      signs.push(MARKS[side].sign.range(line.from))
      words.push(MARKS[side].word.range(line.from))
      at = line.to + 1
    }
  }
  return { signs: RangeSet.of(signs), words: Decoration.set(words) }
}

function readChunks(state: EditorState) {
  return getChunks(state)?.chunks
}

const drawn = ViewPlugin.fromClass(
  class {
    now: Drawn

    constructor(view: EditorView) {
      this.now = drawnIn(view)
    }

    update({ startState, state, view, viewportChanged }: ViewUpdate): void {
      if (viewportChanged || readChunks(startState) !== readChunks(state)) this.now = drawnIn(view)
    }
  },
  { decorations: ({ now }) => now.words },
)

export const diffSigns: Extension = [
  drawn,
  gutter({
    class: 'cm-diffSigns',
    markers: (view) => view.plugin(drawn)?.now.signs ?? RangeSet.empty,
  }),
]
