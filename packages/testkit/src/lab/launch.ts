import fs from 'node:fs'
import path from 'node:path'
import { isJsonObject, type JsonObject, type JsonValue } from '@signalbox/core'

export interface HarnessLaunch {
  readonly prompt: string
  readonly workspace: string
  /** HOME of the process; its configuration is written here. */
  readonly home: string
  readonly modelUrl: string
  readonly args?: readonly string[]
  /** Added to the environment, which is the launcher's own and inherits only PATH. */
  readonly env?: { readonly [name: string]: string }
  /** Milliseconds until the process and its children are killed. Absent: 60,000. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

/** Returns HOME and a temporary folder inside of it, so that nothing is left behind. Creates the folder. */
export function homeEnvironment(home: string): Record<string, string> {
  const temporary = path.join(home, 'tmp')
  fs.mkdirSync(temporary, { recursive: true })
  return { HOME: home, TMPDIR: temporary }
}

/** Ignores lines that are not JSON objects. */
export function jsonLines(output: string): readonly JsonObject[] {
  return output.split('\n').flatMap((line) => {
    if (!line.startsWith('{')) return []
    const value: JsonValue = JSON.parse(line)
    return isJsonObject(value) ? [value] : []
  })
}
