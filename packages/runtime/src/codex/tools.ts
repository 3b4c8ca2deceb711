// Codex's own tools, as its hooks name them, under the names that rules use (specs/adapters/codex.md).
import { isJsonObject, type JsonObject, type PlanStep } from '@signalbox/core'
import type { NativeTools } from '@signalbox/runtime/harness'
import { changesIn, changesInCommand, type PatchChange } from './patch.ts'

interface FilePart {
  readonly name: 'write_file' | 'edit_file' | 'delete_file'
  readonly args: JsonObject
}

const SHELL = 'shell'

export const CODEX_TOOLS: NativeTools = {
  // The hooks call every command so, whatever tool the model used.
  Bash: {
    name: SHELL,
    parts: (input) => {
      const files = changesInCommand(textOf(input['command'])).flatMap(partsOf)
      // Still a command: whatever else it does is judged as such.
      return files.length === 0 ? [] : [{ name: SHELL, args: input }, ...files]
    },
  },
  apply_patch: {
    // What cannot be read changes an unknown file, which every file rule denies.
    name: 'edit_file',
    parts: (input) => changesIn(textOf(input['command'])).flatMap(partsOf),
  },
  update_plan: { name: 'update_plan', plan: (input) => planIn(input['plan']) },
  view_image: {
    name: 'read_file',
    args: (input) => ({ ...input, file_path: input['path'] ?? '' }),
  },
  spawn_agent: { name: 'task' },
  // Its namespace and its name, without anything between them.
  collaborationspawn_agent: { name: 'task' },
}

/** A file that moves is edited, leaves its place, and overwrites whatever was at the new one. */
function partsOf(change: PatchChange): readonly FilePart[] {
  switch (change.kind) {
    case 'add':
      return [{ name: 'write_file', args: { file_path: change.path, content: change.content } }]
    case 'delete':
      return [{ name: 'delete_file', args: { file_path: change.path } }]
    case 'update': {
      const { path, patch, movedTo } = change
      const edit: FilePart = { name: 'edit_file', args: { file_path: path, patch } }
      if (movedTo === null) return [edit]
      return [
        edit,
        { name: 'delete_file', args: { file_path: path, moved_to: movedTo } },
        { name: 'write_file', args: { file_path: movedTo, moved_from: path } },
      ]
    }
    default:
      return change satisfies never
  }
}

const STATUS: { readonly [native: string]: string } = { completed: 'done' }

/** null: this is no plan. A step that cannot be read stays open. */
function planIn(plan: unknown): readonly PlanStep[] | null {
  if (!Array.isArray(plan)) return null
  return plan.map((step: unknown) => {
    const { step: title, status } = isJsonObject(step) ? step : {}
    const said = textOf(status)
    return {
      title: textOf(title) || 'A step without a title',
      ...(said === '' ? {} : { status: STATUS[said] ?? said }),
    }
  })
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
