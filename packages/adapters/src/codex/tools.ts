// Codex's own tools, by their names in hooks, under the names that rules use (specs/adapters/codex.md).
import { isJsonObject, type PlanStep } from '@signalbox/core'
import {
  changesIn,
  changesInCommand,
  listChangeParts,
  type NativeTools,
  withoutFile,
} from '@signalbox/runtime/harness'

const SHELL = 'shell'

export const CODEX_TOOLS: NativeTools = {
  // Hooks use this name for every command, whichever tool the model called.
  Bash: {
    name: SHELL,
    parts: (input) => {
      const files = changesInCommand(toTextOrEmpty(input['command'])).flatMap(listChangeParts)
      // The command itself is evaluated as well, because it may do other things.
      return files.length === 0 ? [] : [{ name: SHELL, args: input }, ...files]
    },
  },
  apply_patch: {
    name: 'edit_file',
    args: withoutFile,
    parts: (input) => changesIn(toTextOrEmpty(input['command'])).flatMap(listChangeParts),
  },
  update_plan: { name: 'update_plan', plan: (input) => planIn(input['plan']) },
  view_image: {
    name: 'read_file',
    args: (input) => ({ ...input, file_path: input['path'] ?? '' }),
  },
  spawn_agent: { name: 'task' },
  // Namespace and name without a separator.
  collaborationspawn_agent: { name: 'task' },
}

/** null: not a plan. A step that cannot be parsed stays open. */
function planIn(plan: unknown): readonly PlanStep[] | null {
  if (!Array.isArray(plan)) return null
  return plan.map((step: unknown) => {
    const { step: title, status } = isJsonObject(step) ? step : {}
    const said = toTextOrEmpty(status)
    return {
      title: toTextOrEmpty(title) || 'A step without a title',
      ...(said === '' ? {} : { status: said === 'completed' ? 'done' : said }),
    }
  })
}

function toTextOrEmpty(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
