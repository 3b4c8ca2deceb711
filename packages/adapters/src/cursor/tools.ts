// Cursor's own tools under the names that rules use (specs/adapters/cursor.md). From documents, not measured.
import type { JsonObject } from '@signalbox/core'
import type { NativeTools } from '@signalbox/runtime/harness'

export const CURSOR_TOOLS: NativeTools = {
  Shell: { name: 'shell' },
  Read: { name: 'read_file', args: withFilePath },
  // It overwrites and edits, so it is judged as what asks for more.
  Write: { name: 'write_file', args: withFilePath },
  Delete: { name: 'delete_file', args: withFilePath },
  Grep: { name: 'grep' },
  Task: { name: 'task' },
}

function withFilePath(input: JsonObject): JsonObject {
  return input['file_path'] === undefined ? { ...input, file_path: input['path'] ?? '' } : input
}
