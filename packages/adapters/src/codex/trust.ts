// Codex silently skips a hook unless its user has trusted its current form, by the hash in config.toml.
import fs from 'node:fs'
import path from 'node:path'
import { isJsonObject, type JsonValue } from '@signalbox/core'
import { askAppServer, type CodexPlace } from './app-server.ts'
import { codexCommands } from './hooks-file.ts'

export interface CodexHook {
  readonly key: string
  /** Event name as Codex writes it, e.g. `preToolUse`. */
  readonly event: string
  /** False: Codex skips it. */
  readonly trusted: boolean
}

export interface CodexHooksFound {
  /** null: Codex does not report its version. */
  readonly version: string | null
  /** Hooks that run the command; empty: Codex finds none in this folder. */
  readonly hooks: readonly CodexHook[]
}

interface ListedHook extends CodexHook {
  readonly hash: string
}

/** Finds the hooks that run this command (as given to `codexHooks`), and their trust in Codex. Rejects if Codex does not answer. */
export async function readCodexHooks(place: CodexPlace, command: string): Promise<CodexHooksFound> {
  const { version, hooks } = await listed(place, command)
  return { version, hooks: hooks.map(({ key, event, trusted }) => ({ key, event, trusted })) }
}

/** Trusts only hooks that run this command; call it only after the user has agreed. Rejects without an answer, or if config.toml is not writable. */
export async function trustCodexHooks(
  place: CodexPlace,
  command: string,
): Promise<CodexHooksFound> {
  const { hooks } = await listed(place, command)
  const untrusted = hooks.filter(({ trusted }) => !trusted)
  if (untrusted.length > 0) {
    const file = path.join(place.codexHome, 'config.toml')
    const before = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : ''
    const after = untrusted.reduce((text, { key, hash }) => withTrust(text, key, hash), before)
    fs.writeFileSync(file, after)
  }
  return readCodexHooks(place, command)
}

async function listed(
  place: CodexPlace,
  command: string,
): Promise<{ readonly version: string | null; readonly hooks: readonly ListedHook[] }> {
  const { version, result } = await askAppServer(place, 'hooks/list', { cwds: [place.cwd] })
  return { version, hooks: hooksIn(result, codexCommands(command)) }
}

/** Finds hooks at any depth, because the answer lists them per folder. */
function hooksIn(value: JsonValue, commands: readonly string[]): readonly ListedHook[] {
  if (Array.isArray(value)) return value.flatMap((each) => hooksIn(each, commands))
  if (!isJsonObject(value)) return []
  const { key, currentHash: hash, trustStatus, eventName } = value
  if (typeof key !== 'string' || typeof hash !== 'string')
    return Object.values(value).flatMap((each) => hooksIn(each, commands))
  const { command } = value
  if (typeof command !== 'string' || !commands.includes(command)) return []
  const event = typeof eventName === 'string' ? eventName : ''
  return [{ key, hash, event, trusted: trustStatus === 'trusted' || trustStatus === 'managed' }]
}

export function withTrust(toml: string, key: string, hash: string): string {
  const header = `[hooks.state.${JSON.stringify(key)}]`
  const trust = `trusted_hash = ${JSON.stringify(hash)}`
  const lines = toml.split('\n')
  const start = lines.findIndex((line) => line.trim() === header)
  if (start === -1) {
    const gap = toml === '' || toml.endsWith('\n\n') ? '' : toml.endsWith('\n') ? '\n' : '\n\n'
    return `${toml}${gap}${header}\n${trust}\n`
  }
  const next = lines.findIndex((line, at) => at > start && line.trimStart().startsWith('['))
  const end = next === -1 ? lines.length : next
  const old = lines.findIndex(
    (line, at) => at > start && at < end && /^\s*trusted_hash\s*=/.test(line),
  )
  if (old === -1) return [...lines.slice(0, start + 1), trust, ...lines.slice(start + 1)].join('\n')
  return lines.map((line, at) => (at === old ? trust : line)).join('\n')
}
