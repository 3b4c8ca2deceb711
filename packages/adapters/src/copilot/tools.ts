// Copilot CLI's own tools under the names that rules use (specs/adapters/copilot.md). Paths of files are absolute, in `path`.
import type { JsonObject } from '@signalbox/core'
import {
  changesIn,
  listChangeParts,
  type NativeTools,
  withoutFile,
} from '@signalbox/runtime/harness'

export const SHELLS: ReadonlySet<string> = new Set([
  'bash',
  'local_shell',
  'powershell',
  'write_bash',
  'write_powershell',
])

export const COPILOT_TOOLS: NativeTools = {
  ...Object.fromEntries([...SHELLS].map((native) => [native, { name: 'shell' }])),
  view: { name: 'read_file', args: withFilePath },
  create: { name: 'write_file', args: withFilePath },
  edit: { name: 'edit_file', args: withFilePath },
  // The model determines which of these tools a session has.
  apply_patch: {
    name: 'edit_file',
    args: withoutFile,
    parts: ({ input, patch }) => {
      const text = input ?? patch
      return typeof text === 'string' ? changesIn(text).flatMap(listChangeParts) : []
    },
  },
  str_replace_editor: {
    name: 'edit_file',
    args: withFilePath,
    parts: (input) => {
      const name = EDITOR_COMMANDS.get(input['command'])
      return name === undefined ? [] : [{ name, args: withFilePath(input) }]
    },
  },
  glob: { name: 'glob' },
  grep: { name: 'grep' },
  rg: { name: 'grep' },
  task: { name: 'task' },
}

/** Every other command of the editor changes files. */
const EDITOR_COMMANDS: ReadonlyMap<unknown, string> = new Map([
  ['view', 'read_file'],
  ['create', 'write_file'],
])

function withFilePath(input: JsonObject): JsonObject {
  return { ...input, file_path: input['path'] ?? '' }
}
