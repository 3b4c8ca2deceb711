import { spawn } from 'node:child_process'
import readline from 'node:readline'
import { isJsonObject, type JsonObject, type JsonValue } from '@signalbox/core'
import { SDK_VERSION } from '@signalbox/runtime'

export interface CodexPlace {
  /** Folder of config.toml, by default `~/.codex`. */
  readonly codexHome: string
  readonly cwd: string
  /** Program to run. Absent: `codex`, found in PATH. */
  readonly codex?: string
  /** The program's whole environment, including PATH and HOME; CODEX_HOME is added. */
  readonly env: NodeJS.ProcessEnv
  /** Time limit in milliseconds. Absent: 20,000. */
  readonly timeoutMs?: number
}

export interface AppServerAnswer {
  /** Version of Codex; null: not reported. */
  readonly version: string | null
  readonly result: JsonValue
}

/** Rejects if Codex cannot be started, returns an error, or does not answer in time. */
export async function askAppServer(
  place: CodexPlace,
  method: string,
  params: JsonObject,
): Promise<AppServerAnswer> {
  const child = spawn(place.codex ?? 'codex', ['app-server'], {
    cwd: place.cwd,
    env: { ...place.env, CODEX_HOME: place.codexHome },
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: place.timeoutMs ?? 20_000,
    killSignal: 'SIGKILL',
  })
  const failed = new Promise<never>((_, reject) => {
    child.once('error', reject)
  })
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve())
  })
  child.stdin.on('error', () => undefined)
  const clientInfo = { name: 'signalbox', version: SDK_VERSION }
  const messages = [
    { id: 1, method: 'initialize', params: { clientInfo } },
    { method: 'initialized' },
    { id: 2, method, params },
  ]
  child.stdin.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(''))
  try {
    const lines = readline.createInterface({ input: child.stdout })
    return await Promise.race([failed, answerIn(lines, method)])
  } finally {
    child.kill('SIGKILL')
    if (child.pid !== undefined) await ended
  }
}

async function answerIn(lines: AsyncIterable<string>, method: string): Promise<AppServerAnswer> {
  let version: string | null = null
  for await (const line of lines) {
    const message: JsonValue = JSON.parse(line)
    if (!isJsonObject(message)) continue
    const { id, result, error } = message
    if (id === 1 && isJsonObject(result)) version = versionIn(result['userAgent'])
    if (id !== 2) continue
    if (result === undefined) throw new Error(`Codex refused ${method}: ${JSON.stringify(error)}`)
    return { version, result }
  }
  throw new Error(`Codex exited without answering ${method}.`)
}

/** Parses `<name of the client>/<version of Codex> (…)`. */
function versionIn(userAgent: JsonValue | undefined): string | null {
  const [, version] =
    /^[^/]+\/(\d+\.\d+\S*)/.exec(typeof userAgent === 'string' ? userAgent : '') ?? []
  return version ?? null
}
