// Codex runs a hook only when its user has trusted its current content. It reports the hash of every hook, and config.toml repeats it.
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import readline from 'node:readline'
import { isJsonObject, type JsonValue } from '@signalbox/core'
import { buildEnvironment } from './harness-process.ts'

interface CodexPlace {
  readonly program: string
  readonly env: { readonly [name: string]: string }
  readonly codexHome: string
  readonly workspace: string
}

interface ListedHook {
  readonly key: string
  readonly currentHash: string
}

const TIMEOUT_MS = 20_000

/** Trusts every hook that Codex finds for the workspace. Rejects when Codex does not answer. Returns the trusted keys. */
export async function trustHooks(place: CodexPlace): Promise<readonly string[]> {
  const hooks = hooksIn(await askAppServer(place, 'hooks/list', { cwds: [place.workspace] }))
  const tables = hooks.map(
    ({ key, currentHash }) =>
      `\n[hooks.state.${JSON.stringify(key)}]\ntrusted_hash = ${JSON.stringify(currentHash)}\n`,
  )
  fs.appendFileSync(path.join(place.codexHome, 'config.toml'), tables.join(''))
  return hooks.map(({ key }) => key)
}

async function askAppServer(place: CodexPlace, method: string, params: object): Promise<JsonValue> {
  const child = spawn(place.program, ['app-server'], {
    cwd: place.workspace,
    env: buildEnvironment(place.env),
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  })
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve())
    child.once('error', () => resolve())
  })
  const send = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`)
  child.stdin.on('error', () => undefined)
  send({ id: 1, method: 'initialize', params: { clientInfo: { name: 'lab', version: '0.0.0' } } })
  send({ method: 'initialized' })
  send({ id: 2, method, params })
  try {
    for await (const line of readline.createInterface({ input: child.stdout })) {
      const message: JsonValue = JSON.parse(line)
      if (isJsonObject(message) && message['id'] === 2) return message['result'] ?? null
    }
    throw new Error(`codex app-server ended without an answer to ${method}`)
  } finally {
    child.kill('SIGKILL')
    await ended
  }
}

/** Finds hooks anywhere in the answer, which lists them by folder; reads only the two fields that trust needs. */
function hooksIn(value: JsonValue): readonly ListedHook[] {
  if (Array.isArray(value)) return value.flatMap(hooksIn)
  if (!isJsonObject(value)) return []
  const { key, currentHash } = value
  if (typeof key === 'string' && typeof currentHash === 'string') return [{ key, currentHash }]
  return Object.values(value).flatMap(hooksIn)
}
