import { isJsonObject, type JsonValue, type PlanStep } from '@signalbox/core'
import type { NativeTools } from '@signalbox/runtime/harness'

export const GEMINI_TOOLS: NativeTools = {
  read_file: { name: 'read_file' },
  write_file: { name: 'write_file' },
  replace: { name: 'edit_file' },
  list_directory: {
    name: 'list_files',
    args: (input) => ({ ...input, file_path: input['dir_path'] ?? '' }),
  },
  glob: { name: 'glob' },
  grep_search: { name: 'grep' },
  run_shell_command: { name: 'shell' },
  web_fetch: { name: 'web_fetch' },
  google_web_search: { name: 'web_search' },
  invoke_agent: { name: 'task' },
  write_todos: { name: 'update_plan', plan: (input) => planIn(input['todos']) },
}

/** null: not a plan. Canceled steps are left out; a step that cannot be parsed stays open. */
function planIn(todos: JsonValue | undefined): readonly PlanStep[] | null {
  if (!Array.isArray(todos)) return null
  return todos.flatMap((todo: JsonValue) => {
    const { description, status } = isJsonObject(todo) ? todo : {}
    if (status === 'cancelled') return []
    const title = typeof description === 'string' && description !== '' ? description : 'A step'
    if (typeof status !== 'string') return [{ title }]
    return [{ title, status: status === 'completed' ? 'done' : status }]
  })
}
