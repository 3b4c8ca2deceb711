// Script of the demo's model: its next action, given what it has seen. Like real agents, it works carelessly at first: it overwrites before
// reading, publishes before testing, and stops with open work. It reacts to the messages that it receives.
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

/** Not a real key. The demo's config redacts it, so it never leaves this process. */
const PUBLISH_KEY = 'pk-demo-0000'

const STEPS = ['Read the changes', 'Write the release notes', 'Run the tests', 'Publish the notes']
/** Number of refusals after which the model abandons a goal. */
const PATIENCE = 3
/** Number of calls without a success after which the model gives up. */
const GIVE_UP_AFTER = 4

const call = (tool: string, input: Readonly<Record<string, unknown>> = {}): Move => ({
  kind: 'call',
  tool,
  input,
})

/** For each of STEPS: true if the results show that it is finished. */
function progress(seen: Transcript): readonly boolean[] {
  return [
    succeeded(seen, 'read_file', 'CHANGES.md'),
    succeeded(seen, 'write_file'),
    succeeded(seen, 'run_tests'),
    succeeded(seen, 'publish_notes'),
  ]
}

function plan(seen: Transcript): Move {
  const done = progress(seen)
  const current = done.indexOf(false)
  const steps = STEPS.map((title, i) => ({
    title,
    status: done[i] === true ? 'done' : i === current ? 'in_progress' : 'pending',
  }))
  return call('update_plan', { steps })
}

/** True: the recorded plan differs from the actual progress. */
function planIsStale(seen: Transcript): boolean {
  const last = seen.calls.findLast((past) => past.tool === 'update_plan' && !past.isError)
  return (
    last !== undefined && JSON.stringify(last.input) !== JSON.stringify(readMoveInput(plan(seen)))
  )
}

function readMoveInput(move: Move): unknown {
  return move.kind === 'call' ? move.input : null
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

/** The move that a refusal requires; null: the model cannot do it. */
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
  if (hasHeardAbout(seen, 'AGENTS.md') && !tried(seen, 'read_file', 'AGENTS.md')) {
    return call('read_file', { path: 'AGENTS.md' })
  }
  return work(seen)
}

/** Feedback arrives as a message, or with a refusal. */
function hasHeardAbout(seen: Transcript, file: string): boolean {
  const refused = seen.calls.filter((past) => past.isError).map((past) => past.text)
  return [...seen.messages, ...refused].some((text) => text.includes(file))
}

function tried(seen: Transcript, tool: string, path: string): boolean {
  return seen.calls.some((past) => past.tool === tool && past.input['path'] === path)
}

function work(seen: Transcript): Move {
  if (isHopeless(seen)) return { kind: 'answer', text: ending(seen) }
  if (wanted(seen, 'update_plan')) return plan(seen)
  if (wanted(seen, 'list_files')) return call('list_files')
  if (!succeeded(seen, 'read_file', 'CHANGES.md') && refusals(seen, 'read_file') < PATIENCE) {
    return call('read_file', { path: 'CHANGES.md' })
  }
  if (wanted(seen, 'write_file'))
    return call('write_file', { path: 'RELEASE_NOTES.md', content: NOTES })
  return seen.answers === 0 ? stopEarly(seen) : finish(seen)
}

/** Careless: it claims to be finished, although two steps of the plan are open. */
function stopEarly(seen: Transcript): Move {
  if (planIsStale(seen) && refusals(seen, 'update_plan') < PATIENCE) return plan(seen)
  const text = succeeded(seen, 'write_file') ? 'The release notes are written.' : ending(seen)
  return { kind: 'answer', text }
}

function finish(seen: Transcript): Move {
  if (wanted(seen, 'publish_notes'))
    return call('publish_notes', { channel: 'docs', publish_key: PUBLISH_KEY })
  if (planIsStale(seen) && refusals(seen, 'update_plan') < PATIENCE) return plan(seen)
  return { kind: 'answer', text: ending(seen) }
}

function isHopeless(seen: Transcript): boolean {
  return seen.calls.length >= GIVE_UP_AFTER && seen.calls.every((past) => past.isError)
}

function wanted(seen: Transcript, tool: string): boolean {
  return !succeeded(seen, tool) && refusals(seen, tool) < PATIENCE
}

function ending(seen: Transcript): string {
  if (isHopeless(seen)) return 'I could not do anything: every tool call was denied.'
  return succeeded(seen, 'publish_notes')
    ? 'The release notes are written, tested and published.'
    : 'I could not publish the release notes: the guardrails refused it.'
}
