// The script of the demo's model: what it does next, given what it has seen. It works carelessly at first, like real agents:
// it overwrites before reading, publishes before testing, and stops with work open. It reacts to what it is told.
import type { PastCall, Transcript } from './transcript.ts'

export type Move =
  | {
      readonly kind: 'call'
      readonly tool: string
      readonly input: Readonly<Record<string, unknown>>
    }
  | { readonly kind: 'answer'; readonly text: string }

const NOTES = `# Release notes

## 1.5.0

- Invoices are rounded to cents
- Exports keep their column order
- The login page remembers the language

## 1.4.0

- First public release
`

const STEPS = ['Read the changes', 'Write the release notes', 'Run the tests', 'Publish the notes']
/** After this many refusals of one goal the model gives it up. */
const PATIENCE = 3

const call = (tool: string, input: Readonly<Record<string, unknown>> = {}): Move => ({
  kind: 'call',
  tool,
  input,
})

function plan(done: number): Move {
  const steps = STEPS.map((title, i) => ({
    title,
    status: i < done ? 'done' : i === done ? 'in_progress' : 'pending',
  }))
  return call('update_plan', { steps })
}

function succeeded(seen: Transcript, tool: string, path?: string): boolean {
  return seen.calls.some(
    (past) =>
      past.tool === tool && !past.isError && (path === undefined || past.input['path'] === path),
  )
}

function refusals(seen: Transcript, tool: string): number {
  return seen.calls.filter((past) => past.tool === tool && past.isError).length
}

function plansDone(seen: Transcript): number {
  return seen.calls.filter((past) => past.tool === 'update_plan' && !past.isError).length
}

/** What a refusal asks for; null when it asks for nothing that the model can do. */
function remedy(refused: PastCall): Move | null {
  const unread = /File '([^']+)' (?:must be read|changed since)/.exec(refused.text)?.[1]
  if (unread !== undefined) return call('read_file', { path: unread })
  const needed = /requires: ([a-z0-9_, -]+)/.exec(refused.text)?.[1]?.split(', ')[0]?.trim()
  return needed === undefined || needed === '' ? null : call(needed)
}

export function nextMove(seen: Transcript): Move {
  const last = seen.calls.at(-1)
  if (last?.isError === true && refusals(seen, last.tool) < PATIENCE) {
    const first = remedy(last)
    if (first !== null) return first
  }
  if (
    seen.messages.some((text) => text.includes('AGENTS.md')) &&
    !tried(seen, 'read_file', 'AGENTS.md')
  ) {
    return call('read_file', { path: 'AGENTS.md' })
  }
  return work(seen)
}

function tried(seen: Transcript, tool: string, path: string): boolean {
  return seen.calls.some((past) => past.tool === tool && past.input['path'] === path)
}

function work(seen: Transcript): Move {
  if (wanted(seen, 'update_plan') && plansDone(seen) === 0) return plan(0)
  if (wanted(seen, 'list_files')) return call('list_files')
  if (!succeeded(seen, 'read_file', 'CHANGES.md') && refusals(seen, 'read_file') < PATIENCE) {
    return call('read_file', { path: 'CHANGES.md' })
  }
  if (wanted(seen, 'write_file'))
    return call('write_file', { path: 'RELEASE_NOTES.md', content: NOTES })
  if (plansDone(seen) === 1) return plan(2)
  if (seen.answers === 0) return { kind: 'answer', text: 'The release notes are written.' }
  if (wanted(seen, 'publish_notes')) return call('publish_notes')
  if (succeeded(seen, 'publish_notes') && plansDone(seen) === 2) return plan(4)
  return { kind: 'answer', text: ending(seen) }
}

function wanted(seen: Transcript, tool: string): boolean {
  return !succeeded(seen, tool) && refusals(seen, tool) < PATIENCE
}

function ending(seen: Transcript): string {
  return succeeded(seen, 'publish_notes')
    ? 'The release notes are written, tested and published.'
    : 'I could not publish the release notes: the guardrails refused it.'
}
