// Codex's own tools, as its hooks name them, under the names that rules use (specs/adapters/codex.md).
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
  // The hooks use this name for every command, for any tool that the model used.
  Bash: {
    name: SHELL,
    parts: (input) => {
      const files = changesInCommand(toTextOrEmpty(input['command'])).flatMap(listChangeParts)
      // It remains a command: everything else that it does is evaluated as such.
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
  // Its namespace and its name, without anything between them.
  collaborationspawn_agent: { name: 'task' },
}

/** null: this is no plan. A step that cannot be read stays open. */
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
