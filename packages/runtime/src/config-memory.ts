// The last good bundle, the pinned key and the highest revision, on disk: a restart without the control plane, and a server
// that serves an old bundle, must not weaken what was in force.
import fs from 'node:fs'
import path from 'node:path'
import type { Place, SignedBundle } from './applied-config.ts'
import type { OnDiagnostic } from './diagnostic.ts'
import { messageOf } from './guardrail-error.ts'

export interface Remembered {
  readonly public_key: string
  readonly highest_revision: number
  /** That of the first bundle that was applied here; null: none was. */
  readonly place: Place | null
  readonly bundle: SignedBundle | null
  readonly runtime_id: string | null
  /** Process that uses `runtime_id`; another may take it over once that one is gone. */
  readonly owner: string | null
}

const NOTHING: Remembered = {
  public_key: '',
  highest_revision: 0,
  place: null,
  bundle: null,
  runtime_id: null,
  owner: null,
}

/**
 * What this process knows, and the file that it shares with others of its installation. The highest revision only grows, whoever
 * applied it.
 */
export class ConfigMemory {
  readonly #file: string
  readonly #report: OnDiagnostic
  #held: Remembered

  constructor(file: string, report: OnDiagnostic) {
    this.#file = file
    this.#report = report
    const found = readMemory(file)
    this.#held = found.kind === 'whole' ? found.memory : NOTHING
    if (found.kind === 'damaged')
      report({
        level: 'error',
        code: 'memory_damaged',
        message: `${file} cannot be read, so the pinned key, the highest revision and the last good config of this runtime are lost. It starts as on its first day.`,
      })
  }

  get held(): Remembered {
    return this.#held
  }

  /** A disk that fails is reported; what is in force stays in force. */
  remember(change: Partial<Remembered>): void {
    this.#held = { ...this.#held, ...change }
    try {
      const disk = readMemory(this.#file)
      if (disk.kind === 'whole' && disk.memory.highest_revision > this.#held.highest_revision) {
        // Another process applied a newer one meanwhile: keep its knowledge.
        const { bundle, highest_revision, place } = disk.memory
        this.#held = { ...this.#held, bundle, highest_revision, place }
      }
      writeMemory(this.#file, this.#held)
    } catch (error) {
      this.#report({ level: 'error', code: 'memory_not_written', message: messageOf(error) })
    }
  }
}

type Recollection =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'whole'; readonly memory: Remembered }
  /** Something lies there that is not a memory: a disk that failed, or a hand that slipped. */
  | { readonly kind: 'damaged' }

/** Each memory is written twice: one that was torn or damaged costs nothing. */
function readMemory(file: string): Recollection {
  const texts = [file, copyOf(file)].map(textOf)
  for (const text of texts) {
    const memory = text === null ? null : parsed(text)
    if (memory !== null) return { kind: 'whole', memory }
  }
  return { kind: texts.some((text) => text !== null) ? 'damaged' : 'nothing' }
}

function copyOf(file: string): string {
  return `${file}.copy`
}

function textOf(file: string): string | null {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

function parsed(text: string): Remembered | null {
  try {
    const value: unknown = JSON.parse(text)
    return isRemembered(value)
      ? { ...value, owner: textIn(value, 'owner'), place: placeOf(value) }
      : null
  } catch {
    return null
  }
}

function textIn(value: object, name: string): string | null {
  const found: unknown = Object.entries(value).find(([key]) => key === name)?.[1]
  return typeof found === 'string' ? found : null
}

function placeOf(value: object): Place | null {
  if (!('place' in value) || typeof value.place !== 'object' || value.place === null) return null
  const project = textIn(value.place, 'project')
  const environment = textIn(value.place, 'environment')
  return project === null || environment === null ? null : { project, environment }
}

function isRemembered(value: unknown): value is Omit<Remembered, 'owner' | 'place'> {
  return (
    typeof value === 'object' &&
    value !== null &&
    'public_key' in value &&
    typeof value.public_key === 'string' &&
    'highest_revision' in value &&
    typeof value.highest_revision === 'number' &&
    'bundle' in value &&
    isSignedBundle(value.bundle) &&
    'runtime_id' in value &&
    (value.runtime_id === null || typeof value.runtime_id === 'string')
  )
}

function isSignedBundle(value: unknown): value is SignedBundle | null {
  if (value === null) return true
  return (
    typeof value === 'object' &&
    'text' in value &&
    typeof value.text === 'string' &&
    'signature' in value &&
    typeof value.signature === 'string'
  )
}

/** Twice, each whole or not at all, through a kill and through a power failure: what is pinned must not be forgotten. */
function writeMemory(file: string, memory: Remembered): void {
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  const text = JSON.stringify(memory)
  for (const place of [file, copyOf(file)]) {
    const fresh = `${place}.${process.pid}.new`
    fs.writeFileSync(fresh, text, { mode: 0o600, flush: true })
    fs.renameSync(fresh, place)
  }
}
