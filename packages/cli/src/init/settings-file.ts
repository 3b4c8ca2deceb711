import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { isJsonObject } from '@signalbox/core'
import { readErrorCode } from '@signalbox/runtime/base'
import { Unusable } from '../base/io.ts'

/** null: the file does not exist. Throws Unusable when it cannot be read. */
export function readSettings(file: string): string | null {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch (error) {
    if (readErrorCode(error) === 'ENOENT') return null
    throw new Unusable(`${file} cannot be read: ${readErrorCode(error)}.`)
  }
}

/** Resolves links to the real file. Throws Unusable when it is outside `root`; null: no restriction. */
export function realFile(file: string, root: string | null): string {
  const real = fs.existsSync(file) ? fs.realpathSync(file) : underRealFolder(file)
  if (root === null || real.startsWith(`${fs.realpathSync(root)}${path.sep}`)) return real
  throw new Unusable(`${file} leads to ${real}, which is outside ${root}. Nothing was changed.`)
}

function underRealFolder(file: string): string {
  let folder = path.dirname(file)
  while (!fs.existsSync(folder)) folder = path.dirname(folder)
  return path.join(fs.realpathSync(folder), path.relative(folder, file))
}

/** `text` null: removes the file. Keeps the permissions of an existing file; a new one gets 0600. */
export function writeSettings(file: string, text: string | null): void {
  try {
    if (text === null) {
      fs.rmSync(file, { force: true })
      return
    }
    fs.mkdirSync(path.dirname(file), { recursive: true })
    const mode = (fs.statSync(file, { throwIfNoEntry: false })?.mode ?? 0o600) & 0o777
    const fresh = `${file}.${process.pid}.new`
    fs.writeFileSync(fresh, text, { mode })
    fs.renameSync(fresh, file)
  } catch (error) {
    throw new Unusable(`${file} cannot be written: ${readErrorCode(error)}.`)
  }
}

export interface Change {
  /** null: the file did not exist. */
  readonly before: string | null
  readonly after: string
}

export class ChangeBook {
  readonly #file: string

  constructor(file: string) {
    this.#file = file
  }

  /** null: the file was not changed, or was changed again since. */
  of(file: string, text: string | null): Change | null {
    const change = this.#read()[file]
    return change !== undefined && change.after === hashSettings(text) ? change : null
  }

  note(file: string, before: string | null, after: string): void {
    this.#write({ ...this.#read(), [file]: { before, after: hashSettings(after) } })
  }

  forget(file: string): void {
    const { [file]: _, ...rest } = this.#read()
    this.#write(rest)
  }

  #write(book: { readonly [file: string]: Change }): void {
    writeSettings(this.#file, `${JSON.stringify(book, null, 2)}\n`)
  }

  #read(): { readonly [file: string]: Change } {
    const text = readSettings(this.#file)
    const book: unknown = text === null ? {} : parseSettingsJson(text)
    if (!isJsonObject(book)) return {}
    return Object.fromEntries(
      Object.entries(book).flatMap(([file, change]) => {
        if (!isJsonObject(change)) return []
        const { before, after } = change
        const known = (before === null || typeof before === 'string') && typeof after === 'string'
        return known ? [[file, { before, after }] as const] : []
      }),
    )
  }
}

function hashSettings(text: string | null): string {
  return createHash('sha256')
    .update(text ?? '')
    .digest('hex')
}

function parseSettingsJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
