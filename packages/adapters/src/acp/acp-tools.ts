// A title can be anything, even a command that looks like a tool's name, so it counts only if it agrees with the kind of the call.
import { isJsonObject, type JsonObject, type JsonValue, type PlanStep } from '@signalbox/core'
import type { NativeTools } from '@signalbox/runtime/harness'

/** First the agents' own names, then the protocol's kinds for calls without a known name. */
export const ACP_TOOLS: NativeTools = {
  bash: { name: 'shell' },
  write: { name: 'write_file' },
  glob: { name: 'glob' },
  grep: { name: 'grep' },
  list: { name: 'list_files' },
  webfetch: { name: 'web_fetch' },
  websearch: { name: 'web_search' },
  todowrite: { name: 'update_plan', plan: ({ todos }) => planIn(todos) },
  execute: { name: 'shell' },
  read: { name: 'read_file' },
  // A call reported only as a file change may be a write or an edit, so the rules for both apply.
  change: {
    name: 'edit_file',
    parts: (input) => [
      { name: 'edit_file', args: input },
      { name: 'write_file', args: input },
    ],
  },
  edit: { name: 'edit_file' },
  delete: { name: 'delete_file' },
  search: { name: 'grep' },
  fetch: { name: 'web_fetch' },
}

const KINDS: { readonly [name: string]: string } = {
  bash: 'execute',
  write: 'edit',
  edit: 'edit',
  read: 'read',
  glob: 'search',
  grep: 'search',
  list: 'search',
  webfetch: 'fetch',
  websearch: 'fetch',
  todowrite: 'other',
}
const IDENTIFIER = /^[A-Za-z][\w.-]{0,99}$/

export interface ReportedCall {
  /** The protocol's own field for the name; most agents omit it. */
  readonly name?: string
  readonly title?: string
  readonly kind?: string
}

export function nativeName({ name, title = '', kind = 'other' }: ReportedCall): string {
  if (name !== undefined) return name
  if (Object.hasOwn(KINDS, title) && KINDS[title] === kind) return title
  if (kind === 'edit') return 'change'
  return kind === 'other' && IDENTIFIER.test(title) ? title : kind
}

/** The whole plan; null: it cannot be read. */
export function planIn(entries: JsonValue | undefined): readonly PlanStep[] | null {
  if (!Array.isArray(entries)) return null
  return entries.flatMap((entry): PlanStep[] => {
    const { content, status }: JsonObject = isJsonObject(entry) ? entry : {}
    // A canceled step need not be done.
    if (status === 'cancelled') return []
    return [
      {
        title: typeof content === 'string' ? content : 'A step that could not be read.',
        status: status === 'completed' ? 'done' : String(status ?? 'pending'),
      },
    ]
  })
}
