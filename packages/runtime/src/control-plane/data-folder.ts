// Belongs to a place (one environment of one project of one server), so its content survives a rotated API key and a changed address.
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { isJsonObject, type JsonObject } from '@signalbox/core'
import { GuardrailError } from '../base/guardrail-error.ts'
import type { Place } from './applied-config.ts'
import { whileLocked } from './file-lock.ts'

export interface FolderOptions {
  readonly url: string
  readonly apiKey: string
  /** Absent: ~/.local/state/signalbox. */
  readonly dataDir?: string
}

const NOTE = 'place.json'
/** Most keys and addresses kept per place. An older one is matched again at registration. */
const MOST_KNOWN = 50

/** Content of `place.json`: the place of the memory files beside it. */
interface Note extends Place {
  /** Hashes of the API keys of the place. */
  readonly keys: readonly string[]
  readonly urls: readonly string[]
  /** True for the place's one folder with memory files. Its other folders hold only events that ended processes left. */
  readonly isHome: boolean
}

export interface ReportedPlace extends Place {
  /** Returns true if one of the keys is the server's, or is proved to lead to it. */
  readonly isServerWith: (keys: readonly string[]) => boolean
}

export interface Relatives {
  /** Memory files of the same prompt and place, of which bundle, revision and signing keys count. */
  readonly sameConfig: readonly string[]
  /** Memory files of the same project, of which only the signing keys count. */
  readonly sameKeys: readonly string[]
}

export interface ForeignFolder {
  readonly folder: string
  /** null: not known, for example in a folder of an earlier version. */
  readonly place: Place | null
}

interface Folder {
  readonly path: string
  readonly note: Note | null
  readonly place: Place | null
  readonly signingKeys: readonly string[]
}

/** States: unsettled (the API key's place is not known; a folder of this key and address is used) → settled. A known key starts settled. */
export class DataFolder {
  readonly #base: string
  readonly #url: string
  readonly #keyHash: string
  readonly #own: string
  #home: Folder | null
  #spools: readonly string[] = []

  constructor(options: FolderOptions) {
    this.#base = options.dataDir ?? path.join(os.homedir(), '.local', 'state', 'signalbox')
    this.#url = options.url.replace(/\/+$/, '')
    this.#keyHash = hashFolderText(options.apiKey)
    this.#home = this.#findKeyFolder()
    this.#own =
      this.#home?.path ?? path.join(this.#base, hashFolderText(`${options.url}\n${options.apiKey}`))
    try {
      fs.mkdirSync(this.spool, { recursive: true, mode: 0o700 })
    } catch (error) {
      throw new GuardrailError(
        'bad_options',
        `The folder ${this.#own} cannot be written. Fix its permissions or set dataDir.`,
        error,
      )
    }
    this.#findSpools()
  }

  get spool(): string {
    return path.join(this.#own, 'spool')
  }

  get home(): string {
    return this.#home?.path ?? this.#own
  }

  /** null: not settled. */
  get place(): Place | null {
    return this.#home?.place ?? null
  }

  /** Spools whose events this runtime may send: those of its place that existed when the place was settled. */
  get spools(): readonly string[] {
    return this.#spools
  }

  #findSpools(): void {
    const siblings = this.#folders().filter((folder) => this.#belongsToHome(folder))
    const folders = new Set([this.#own, ...siblings.map((folder) => folder.path)])
    this.#spools = [...folders].map((folder) => path.join(folder, 'spool'))
  }

  relatives(name: string): Relatives {
    const home = this.#home
    if (home === null) return { sameConfig: [], sameKeys: [] }
    const others = this.#folders().filter((folder) => folder.path !== home.path)
    const kin = others.filter(
      (folder) => folder.place?.project === home.place?.project && hasSameServer(folder, home),
    )
    const sharing = others.filter((folder) => this.#belongsToHome(folder))
    return {
      sameConfig: sharing.map((folder) => path.join(folder.path, name)),
      sameKeys: [home, ...kin].flatMap((folder) => memoriesIn(folder.path)),
    }
  }

  foreign(): readonly ForeignFolder[] {
    return this.#folders()
      .filter((folder) => folder.path !== this.#own && !this.#belongsToHome(folder))
      .map((folder) => ({ folder: folder.path, place: folder.place }))
  }

  /** Home folder of the only place with data here; null: there is none, or more than one. */
  onlyHome(): string | null {
    const folders = this.#folders().filter(({ place }) => place !== null)
    const [first] = folders
    if (first === undefined || !folders.every((one) => isSamePlace(one.place, first.place)))
      return null
    return (folders.find(({ note }) => note?.isHome === true) ?? first).path
  }

  /** A settled folder does not change, because an API key never changes its place. Throws if the disk fails. */
  settle(told: ReportedPlace): void {
    if (this.#home !== null && !isSamePlace(this.#home.place, told)) return
    const place = { project: told.project, environment: told.environment }
    whileLocked(path.join(this.#base, 'places.lock'), () => {
      const home = this.#home ?? this.#homeFor(told)
      const note = {
        ...place,
        keys: withNewest(home.note?.keys ?? [], this.#keyHash),
        urls: withNewest(home.note?.urls ?? [], this.#url),
        isHome: true,
      }
      writeNote(home.path, note)
      this.#home = { ...home, note, place }
      if (this.#own !== home.path) writeNote(this.#own, { ...note, isHome: false })
    })
    this.#findSpools()
  }

  #homeFor(told: ReportedPlace): Folder {
    const sharing = this.#folders().filter(
      (folder) =>
        isSamePlace(folder.place, told) &&
        (folder.path === this.#own ||
          folder.note?.urls.includes(this.#url) === true ||
          told.isServerWith(folder.signingKeys)),
    )
    return (
      sharing.find(({ note }) => note?.isHome === true) ??
      sharing.find((folder) => folder.path === this.#own) ??
      sharing[0] ?? { path: this.#own, note: null, place: null, signingKeys: [] }
    )
  }

  #findKeyFolder(): Folder | null {
    const knows = ({ note }: Folder) => note?.isHome === true && note.keys.includes(this.#keyHash)
    return this.#folders().find(knows) ?? null
  }

  #belongsToHome(folder: Folder): boolean {
    const home = this.#home
    if (home === null) return false
    if (folder.path === home.path || folder.path === this.#own) return true
    return isSamePlace(folder.place, home.place) && hasSameServer(folder, home)
  }

  #folders(): readonly Folder[] {
    if (!fs.existsSync(this.#base)) return []
    return fs
      .readdirSync(this.#base, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => folderAt(path.join(this.#base, entry.name)))
      .filter((folder) => fs.existsSync(path.join(folder.path, 'spool')))
  }
}

function hashFolderText(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

export function isSamePlace(one: Place | null, other: Place | null): boolean {
  return one !== null && one.project === other?.project && one.environment === other.environment
}

function hasSameServer(one: Folder, other: Folder): boolean {
  return (
    one.note?.urls.some((url) => other.note?.urls.includes(url)) === true ||
    one.signingKeys.some((key) => other.signingKeys.includes(key))
  )
}

function memoriesIn(folder: string): readonly string[] {
  return fs
    .readdirSync(folder)
    .filter((name) => name.endsWith('.json') && name !== NOTE)
    .map((name) => path.join(folder, name))
}

function withNewest(known: readonly string[], one: string): readonly string[] {
  return [...known.filter((other) => other !== one), one].slice(-MOST_KNOWN)
}

/** A folder of an earlier version has no note; its memory files identify its place. */
function folderAt(folder: string): Folder {
  const note = parseFolderNote(jsonAt(path.join(folder, NOTE)))
  const memories = memoriesIn(folder).map(jsonAt)
  const places = memories.map((memory) => parseNotePlace(memory?.['place']))
  return {
    path: folder,
    note,
    place: note ?? places.find((place) => place !== null) ?? null,
    signingKeys: memories.flatMap((memory) => [
      ...parseTexts([memory?.['public_key']]),
      ...parseTexts(memory?.['next_keys']),
      ...parseTexts(memory?.['past_keys']),
    ]),
  }
}

function parseFolderNote(value: JsonObject | null): Note | null {
  const place = parseNotePlace(value)
  if (place === null) return null
  const [keys, urls] = [parseTexts(value?.['keys']), parseTexts(value?.['urls'])]
  return { ...place, keys, urls, isHome: value?.['is_home'] === true }
}

function parseNotePlace(value: unknown): Place | null {
  if (!isJsonObject(value)) return null
  const { project, environment } = value
  const isPlace = typeof project === 'string' && typeof environment === 'string'
  return isPlace ? { project, environment } : null
}

function parseTexts(value: unknown): readonly string[] {
  return Array.isArray(value)
    ? value.filter((one): one is string => typeof one === 'string' && one !== '')
    : []
}

/** null: missing, or not a JSON object. */
function jsonAt(file: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(fs.readFileSync(file, 'utf8'))
    return isJsonObject(value) ? value : null
  } catch {
    return null
  }
}

function writeNote(folder: string, { isHome, ...note }: Note): void {
  const file = path.join(folder, NOTE)
  const text = JSON.stringify({ ...note, is_home: isHome })
  if (fs.existsSync(file) && fs.readFileSync(file, 'utf8') === text) return
  const fresh = `${file}.${process.pid}.new`
  fs.writeFileSync(fresh, text, { mode: 0o600, flush: true })
  fs.renameSync(fresh, file)
}
