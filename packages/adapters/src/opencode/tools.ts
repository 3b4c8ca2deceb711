import { isJsonObject, type JsonObject, type JsonValue, type PlanStep } from '@signalbox/core'
import {
  changesIn,
  listChangeParts,
  type NativeTools,
  withoutFile,
} from '@signalbox/runtime/harness'

export const OPENCODE_TOOLS: NativeTools = {
  bash: { name: 'shell' },
  read: { name: 'read_file', args: withFilePath },
  write: { name: 'write_file', args: withFilePath },
  edit: { name: 'edit_file', args: withFilePath },
  // Replaces write and edit for OpenAI models that write patches.
  apply_patch: {
    name: 'edit_file',
    args: withoutFile,
    parts: ({ patchText }) =>
      typeof patchText === 'string' ? changesIn(patchText).flatMap(listChangeParts) : [],
  },
  list: { name: 'list_files' },
  glob: { name: 'glob' },
  grep: { name: 'grep' },
  webfetch: { name: 'web_fetch' },
  websearch: { name: 'web_search' },
  task: { name: 'task' },
  todowrite: { name: 'update_plan', plan: ({ todos }) => parseOpencodePlan(todos) },
}

function withFilePath(input: JsonObject): JsonObject {
  const { filePath } = input
  return typeof filePath === 'string' ? { ...input, file_path: filePath } : input
}

function parseOpencodePlan(todos: JsonValue | undefined): readonly PlanStep[] | null {
  if (!Array.isArray(todos)) return null
  return todos.flatMap((todo): PlanStep[] => {
    if (!isJsonObject(todo)) return [{ title: 'A step that could not be read.' }]
    const { content, status } = todo
    // A canceled step need not be done.
    if (status === 'cancelled') return []
    return [
      { title: String(content ?? ''), status: status === 'completed' ? 'done' : String(status) },
    ]
  })
}
