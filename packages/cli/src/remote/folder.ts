// `.signalbox/state.json` records the origin of each file; only pull and push write it.
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import {
  type FolderEntry,
  FolderStateV1,
  PromptKey,
  PromptNs,
  readSchemaAddress,
  withoutSchemaAddress,
  withSchemaAddress,
} from '@signalbox/wire'
import { Unusable } from '../base/io.ts'

export interface Prompt {
  readonly ns: string
  readonly key: string
}

export interface LocalConfig extends Prompt {
  readonly file: string
  /** Without `$schema`. */
  readonly text: string
}

export const promptName = ({ ns, key }: Prompt): string => `${ns}/${key}`

export function seal(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function readIfThere(file: string): string | null {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw new Unusable(`${file} cannot be read: ${error instanceof Error ? error.message : error}`)
  }
}

export class ConfigFolder {
  readonly path: string

  constructor(folder: string) {
    this.path = folder
  }

  resolvePromptFile({ ns, key }: Prompt): string {
    return path.join(this.path, ...ns.split('/'), `${key}.json`)
  }

  /** Text without `$schema`, as the server stores it. null: the file does not exist. */
  read(prompt: Prompt): string | null {
    const text = readIfThere(this.resolvePromptFile(prompt))
    return text === null ? null : withoutSchemaAddress(text)
  }

  /** A schema that the file names stays named. */
  write(prompt: Prompt, text: string): void {
    const file = this.resolvePromptFile(prompt)
    const address = readSchemaAddress(readIfThere(file) ?? '')
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.writeFileSync(file, address === null ? text : withSchemaAddress(text, address))
  }

  /** Returns every config of the folder, or the named ones, in order. Throws Unusable for a name without a file. */
  configs(names: readonly string[]): readonly LocalConfig[] {
    const prompts = names.length === 0 ? this.#found() : names.map(parsePrompt)
    return prompts.map((prompt) => {
      const file = this.resolvePromptFile(prompt)
      const text = this.read(prompt)
      if (text === null) throw new Unusable(`There is no ${file} for ${promptName(prompt)}.`)
      return { ...prompt, file, text }
    })
  }

  #found(): readonly Prompt[] {
    if (!fs.existsSync(this.path)) {
      throw new Unusable(
        `There is no folder ${this.path}. Pull first, or choose another folder with --dir.`,
      )
    }
    const files = fs.readdirSync(this.path, { recursive: true, encoding: 'utf8' })
    return files
      .filter((file) => file.endsWith('.json') && !file.split(path.sep).includes('.signalbox'))
      .toSorted()
      .map((file) => parsePrompt(file.slice(0, -'.json'.length).split(path.sep).join('/')))
  }

  readState(): Map<string, FolderEntry> {
    const file = this.#stateFile()
    const text = readIfThere(file)
    if (text === null) return new Map()
    const parsed = FolderStateV1.safeParse(parsedJson(text))
    if (parsed.success) return new Map(Object.entries(parsed.data.configs))
    throw new Unusable(`${file} is not in the form that pull writes. Remove it and pull again.`)
  }

  writeState(state: ReadonlyMap<string, FolderEntry>): void {
    const file = this.#stateFile()
    fs.mkdirSync(path.dirname(file), { recursive: true })
    const configs = Object.fromEntries([...state].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    fs.writeFileSync(file, `${JSON.stringify({ state_version: 1, configs }, null, 2)}\n`)
    // The state belongs to one folder: two clones of a repository pull and push at different times.
    fs.writeFileSync(path.join(path.dirname(file), '.gitignore'), '*\n')
  }

  #stateFile(): string {
    return path.join(this.path, '.signalbox', 'state.json')
  }
}

/** undefined: it is no JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Parses `ns/key`; throws Unusable for anything else. */
export function parsePrompt(name: string): Prompt {
  const at = name.lastIndexOf('/')
  const [ns, key] = [name.slice(0, Math.max(at, 0)), name.slice(at + 1)]
  if (PromptNs.safeParse(ns).success && PromptKey.safeParse(key).success) return { ns, key }
  throw new Unusable(`"${name}" is not a prompt. Use ns/key, or the file <ns>/<key>.json.`)
}
