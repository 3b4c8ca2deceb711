// Claude's own tools, under the names that rules use (specs/adapters/claude-code.md). MCP tools keep their names,
// `mcp__server__tool`.
import type { JsonObject } from '@signalbox/core'
import type { NativeTools } from '@signalbox/runtime/harness'
import { planWithChangedTask, planWithNewTask, readTaskList, readTodos } from './plan.ts'

export const CLAUDE_TOOLS: NativeTools = {
  Read: { name: 'read_file' },
  Write: { name: 'write_file' },
  Edit: { name: 'edit_file' },
  MultiEdit: { name: 'edit_file' },
  NotebookEdit: { name: 'notebook_edit', args: withNotebookPath },
  LS: { name: 'list_files' },
  Glob: { name: 'glob' },
  Grep: { name: 'grep' },
  Bash: { name: 'shell' },
  PowerShell: { name: 'shell' },
  Monitor: { name: 'shell' },
  Agent: { name: 'task' },
  Task: { name: 'task' },
  WebFetch: { name: 'web_fetch' },
  WebSearch: { name: 'web_search' },
  TodoWrite: { name: 'update_plan', plan: readTodos },
  TaskCreate: { name: 'update_plan', plan: planWithNewTask },
  TaskUpdate: { name: 'update_plan', plan: planWithChangedTask },
  TaskList: { name: 'TaskList', plan: readTaskList },
}

function withNotebookPath(input: JsonObject): JsonObject {
  const { notebook_path } = input
  return typeof notebook_path === 'string' ? { ...input, file_path: notebook_path } : input
}
