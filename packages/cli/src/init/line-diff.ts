const CONTEXT = 3

interface Line {
  readonly mark: ' ' | '-' | '+'
  readonly text: string
}

/** One line per difference, with its context; empty: the texts are the same. `null`: there is no text. */
export function lineDiff(before: string | null, after: string | null): readonly string[] {
  const lines = compared(splitTextLines(before), splitTextLines(after))
  const shown = new Set<number>()
  for (const [index, { mark }] of lines.entries())
    if (mark !== ' ') for (let i = index - CONTEXT; i <= index + CONTEXT; i++) shown.add(i)
  const out: string[] = []
  for (const [index, { mark, text }] of lines.entries()) {
    if (!shown.has(index)) continue
    if (index > 0 && !shown.has(index - 1)) out.push('…')
    out.push(`${mark} ${text}`)
  }
  return out
}

function splitTextLines(text: string | null): readonly string[] {
  if (text === null || text === '') return []
  const lines = text.split('\n')
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}

/** Settings files mostly change in one place: equal lines at both ends stay, and the rest is replaced. */
function compared(before: readonly string[], after: readonly string[]): readonly Line[] {
  const least = Math.min(before.length, after.length)
  let head = 0
  while (head < least && before[head] === after[head]) head += 1
  let tail = 0
  while (tail < least - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1
  const marked = (mark: Line['mark']) => (text: string) => ({ mark, text })
  return [
    ...before.slice(0, head).map(marked(' ')),
    ...before.slice(head, before.length - tail).map(marked('-')),
    ...after.slice(head, after.length - tail).map(marked('+')),
    ...before.slice(before.length - tail).map(marked(' ')),
  ]
}
