import type { ConfigDocument, EventOf, EventType, JsonObject, SessionEvent } from '@signalbox/core'
import {
  type CompatRun,
  jsonLines,
  launchClaude,
  type ModelScript,
  type ModelServer,
  makeLabFolders,
  type ScriptedTurn,
  startAnthropicServer,
} from '@signalbox/testkit'
import { onTestFinished } from 'vitest'
import { claudeCode } from '../claude-code.ts'
import { type ClaudeHookSettings, claudeHookSettings } from '../hook-settings.ts'
import { type HookServer, startHookServer } from './hook-server.ts'

/** A file is written only after a command. */
export const CONFIG: ConfigDocument = {
  schema_version: 1,
  ns: 'claude',
  key: 'lab',
  policies: [
    { id: 'order', type: 'sequential_dependency', dependencies: { write_file: ['shell'] } },
  ],
}
/** The scripts never create this file. */
export const NEVER_DONE: ConfigDocument = {
  ...CONFIG,
  task_completion_checker: { id: 'results', type: 'files_exist', files: ['never.txt'] },
  limits: { max_stop_blocks: 100 },
}
export const DONE: ScriptedTurn = { say: 'Done.' }

export const writing = (file: string): ScriptedTurn => ({
  calls: [{ name: 'Write', input: { file_path: file, content: 'x' } }],
})

export interface Ran {
  readonly model: ModelServer
  readonly server: HookServer
  readonly result: JsonObject | undefined
  readonly workspace: string
}

interface Setting {
  readonly script: ModelScript
  readonly config?: ConfigDocument
  readonly guard?: CompatRun['guard']
  /** Absent: HTTP hooks. */
  readonly ways?: (server: HookServer) => ClaudeHookSettings
  /** Hooks that are installed. Absent: all. */
  readonly only?: readonly string[]
  readonly args?: readonly string[]
  readonly allowedTools?: readonly string[]
  readonly env?: { readonly [name: string]: string }
}

export async function run(setting: Setting): Promise<Ran> {
  const { script, config = CONFIG, guard, ways = byHttp, only, ...launch } = setting
  const folders = makeLabFolders()
  onTestFinished(() => folders.remove())
  const model = await startAnthropicServer(script)
  onTestFinished(() => model.close())
  const server = await startHookServer(claudeCode, {
    config,
    ...(guard === undefined ? {} : { guard }),
  })
  onTestFinished(() => server.close())
  const all = Object.entries(claudeHookSettings(ways(server)))
  const hooks = Object.fromEntries(all.filter(([event]) => only?.includes(event) ?? true))
  const exit = await launchClaude({
    ...folders,
    ...launch,
    prompt: 'Do it.',
    modelUrl: model.url,
    settings: { hooks },
  })
  const result = jsonLines(exit.stdout).findLast(({ type }) => type === 'result')
  return { model, server, result, workspace: folders.workspace }
}

function byHttp({ url }: HookServer): ClaudeHookSettings {
  return { http: { url } }
}

export function selectEvents<Type extends EventType>(
  { server }: Ran,
  type: Type,
): readonly EventOf<Type>[] {
  // The type of an event decides its shape.
  return server.events.filter((e): e is SessionEvent & EventOf<Type> => e.type === type)
}

export function verdicts(ran: Ran): readonly string[] {
  return selectEvents(ran, 'stop.decided').map(({ data: { verdict, bypass } }) =>
    bypass === undefined ? verdict : `${verdict}(${bypass})`,
  )
}
