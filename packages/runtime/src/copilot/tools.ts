// Copilot CLI's own tools under the names that rules use (specs/adapters/copilot.md). Its files are absolute paths in `path`.
import type { JsonObject } from '@signalbox/core'
import type { NativeTools } from '@signalbox/runtime/harness'

export const COPILOT_TOOLS: NativeTools = {
  bash: { name: 'shell' },
  view: { name: 'read_file', args: withFilePath },
  create: { name: 'write_file', args: withFilePath },
  edit: { name: 'edit_file', args: withFilePath },
  glob: { name: 'glob' },
  grep: { name: 'grep' },
  task: { name: 'task' },
}

function withFilePath(input: JsonObject): JsonObject {
  return { ...input, file_path: input['path'] ?? '' }
}
