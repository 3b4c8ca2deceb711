// Parameters of all launchers of harnesses, and their results beyond the exit.
import fs from 'node:fs'
import path from 'node:path'
import { isJsonObject, type JsonObject, type JsonValue } from '@signalbox/core'

export interface HarnessLaunch {
  readonly prompt: string
  /** Working directory. */
  readonly workspace: string
  /** HOME of the process; its configuration is written here. */
  readonly home: string
  /** Base URL of the scripted model. */
  readonly modelUrl: string
  /** Added to the arguments. */
  readonly args?: readonly string[]
  /** Added to the environment, which is otherwise the launcher's own and inherits PATH only. */
  readonly env?: { readonly [name: string]: string }
  /** Milliseconds until the process and its children are killed. Absent: 60,000. */
  readonly timeoutMs?: number
  /** Kills the process and its children. */
  readonly signal?: AbortSignal
}

/** HOME and a temporary folder inside of it, so that nothing is left behind. Makes the folder. */
export function homeEnvironment(home: string): Record<string, string> {
  const temporary = path.join(home, 'tmp')
  fs.mkdirSync(temporary, { recursive: true })
  return { HOME: home, TMPDIR: temporary }
}

/** The JSON objects of an output that has one on each line; other lines are left out. */
export function jsonLines(output: string): readonly JsonObject[] {
  return output.split('\n').flatMap((line) => {
    if (!line.startsWith('{')) return []
    const value: JsonValue = JSON.parse(line)
    return isJsonObject(value) ? [value] : []
  })
}
