// On disk, so that neither a restart without the control plane nor a server with an old bundle weakens enforcement.
import fs from 'node:fs'
import { verifyText } from '@signalbox/wire'
import type { OnDiagnostic } from '../base/diagnostic.ts'
import { describeError } from '../base/guardrail-error.ts'
import type { Place, SignedBundle } from './applied-config.ts'
import type { Relatives } from './data-folder.ts'
import { whileLocked } from './file-lock.ts'
import { compareTrust, joined, rootedIn, type Trust } from './key-chain.ts'

export interface Remembered {
  /** `Trust` of key-chain.ts: key of the bundle, its successors, and the superseded keys. */
  readonly public_key: string
  readonly next_keys: readonly string[]
  readonly past_keys: readonly string[]
  readonly highest_revision: number
  /** Place of the bundles applied here; null: none was applied. */
  readonly place: Place | null
  readonly bundle: SignedBundle | null
  readonly runtime_id: string | null
  /** Process that uses `runtime_id`. Once it is gone, another process may take the id. null: not known. */
  readonly owner: string | null
}

const NOTHING: Remembered = {
  public_key: '',
  next_keys: [],
  past_keys: [],
  highest_revision: 0,
  place: null,
  bundle: null,
  runtime_id: null,
  owner: null,
}

export function toTrust({ public_key, next_keys, past_keys }: Remembered): Trust {
  return { key: public_key, next: next_keys, past: past_keys }
}

export function rememberedTrust({ key, next, past }: Trust) {
  return { public_key: key, next_keys: next, past_keys: past }
}

/** The highest revision never falls, whichever process of the installation applied it, and a replaced key stays rejected. */
export class ConfigMemory {
  readonly #report: OnDiagnostic
  readonly #root: string | null
  #file: string
  #held: Remembered
  /** Memory held before `assume`; null: nothing is assumed. */
  #beforeAssumed: Remembered | null = null

  /** `root`: key given by the host; null: the first key seen is trusted. */
  constructor(file: string, { root, report }: { root: string | null; report: OnDiagnostic }) {
    this.#file = file
    this.#report = report
    this.#root = root
    const found = readMemory(file)
    this.#held = this.#rooted(found.kind === 'whole' ? found.memory : NOTHING)
    if (found.kind === 'damaged')
      report({
        level: 'error',
        code: 'memory_damaged',
        message: `${file} cannot be read, so the pinned key, the highest revision and the last good config of this runtime are lost. It starts as if it were new.`,
      })
  }

  get held(): Remembered {
    return this.#held
  }

  get isAssumed(): boolean {
    return this.#beforeAssumed !== null
  }

  /** Uses the memory in `file` until `moveTo`, without storing it. */
  assume(file: string): void {
    const found = readMemory(file)
    if (found.kind !== 'whole') return
    this.#beforeAssumed = this.#held
    this.#held = this.#rooted({ ...found.memory, runtime_id: null, owner: null })
  }

  /** Makes `file` the memory from now on, merged with the current state and that of other processes. Drops assumptions. */
  moveTo(file: string, { sameConfig, sameKeys }: Relatives): void {
    this.#file = file
    this.#held = this.#beforeAssumed ?? this.#held
    this.#beforeAssumed = null
    for (const other of [file, ...sameConfig]) {
      const found = readMemory(other)
      if (found.kind === 'whole') this.#held = this.#merged(found.memory)
    }
    // For a new prompt or environment: its first bundle must be signed by a key that the project's other prompts trust.
    for (const other of this.#held.bundle === null ? sameKeys : []) {
      const found = readMemory(other)
      if (found.kind !== 'whole') continue
      const trust = toTrust(found.memory)
      if (compareTrust(toTrust(this.#held), trust) === 'theirs')
        this.#held = { ...this.#held, ...rememberedTrust(trust) }
    }
  }

  #rooted(memory: Remembered): Remembered {
    return this.#root === null ? memory : rooted(memory, this.#root)
  }

  /** Applies `change` and writes the file. Reports a disk error; the config in force does not change. */
  remember(change: Partial<Remembered>): void {
    this.#held = { ...this.#held, ...change }
    if (this.isAssumed) return
    try {
      // No other process may write between this read and this write.
      whileLocked(`${this.#file}.lock`, () => {
        const disk = readMemory(this.#file)
        if (disk.kind === 'whole') this.#held = this.#merged(disk.memory)
        writeMemory(this.#file, this.#held)
      })
    } catch (error) {
      this.#report({ level: 'error', code: 'memory_not_written', message: describeError(error) })
    }
  }

  /** Merges the memory on disk: another process may have applied a newer revision, or a bundle signed by a later key. */
  #merged(disk: Remembered): Remembered {
    const held = this.#held
    const { runtime_id, owner } = held
    const further = compareTrust(toTrust(held), toTrust(disk))
    if (further === 'theirs') return { ...disk, runtime_id, owner }
    // A key given by the host takes precedence. Of two keys that were only seen, the one on disk came first and stays.
    if (further === 'unrelated') return this.#root !== null ? held : { ...disk, runtime_id, owner }
    if (further === 'ours') return held
    const newer = disk.highest_revision > held.highest_revision ? disk : held
    const { bundle, highest_revision, place } = newer
    const trust = rememberedTrust(joined(toTrust(held), toTrust(disk)))
    return { ...held, ...trust, bundle, highest_revision, place }
  }
}

/** Roots trust in `root`. Drops bundle, place and highest revision unless the resulting key signed the bundle. */
function rooted(memory: Remembered, root: string): Remembered {
  const before = toTrust(memory)
  const trust = rootedIn(before, root)
  if (trust === before) return memory
  const { bundle } = memory
  const isVouched = bundle !== null && verifyText(bundle.text, bundle.signature, trust.key)
  const kept = isVouched ? {} : { bundle: null, highest_revision: 0, place: null }
  return { ...memory, ...rememberedTrust(trust), ...kept }
}

type Recollection =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'whole'; readonly memory: Remembered }
  /** No copy can be parsed, after a disk failure or a mistaken edit. */
  | { readonly kind: 'damaged' }

/** Returns the first copy that can be parsed: each memory is written twice, so one damaged copy loses nothing. */
function readMemory(file: string): Recollection {
  const texts = [file, toCopyPath(file)].map(readTextIfPresent)
  for (const text of texts) {
    const memory = text === null ? null : parsed(text)
    if (memory !== null) return { kind: 'whole', memory }
  }
  return { kind: texts.some((text) => text !== null) ? 'damaged' : 'nothing' }
}

function toCopyPath(file: string): string {
  return `${file}.copy`
}

function readTextIfPresent(file: string): string | null {
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
      ? {
          ...value,
          next_keys: textsIn(value, 'next_keys'),
          past_keys: textsIn(value, 'past_keys'),
          owner: textIn(value, 'owner'),
          place: parseRememberedPlace(value),
        }
      : null
  } catch {
    return null
  }
}

function textIn(value: object, name: string): string | null {
  const found: unknown = Object.entries(value).find(([key]) => key === name)?.[1]
  return typeof found === 'string' ? found : null
}

/** Empty for a memory that an earlier version wrote. */
function textsIn(value: object, name: string): readonly string[] {
  const found: unknown = Object.entries(value).find(([key]) => key === name)?.[1]
  return Array.isArray(found) ? found.filter((one) => typeof one === 'string') : []
}

function parseRememberedPlace(value: object): Place | null {
  if (!('place' in value) || typeof value.place !== 'object' || value.place === null) return null
  const project = textIn(value.place, 'project')
  const environment = textIn(value.place, 'environment')
  return project === null || environment === null ? null : { project, environment }
}

function isRemembered(
  value: unknown,
): value is Omit<Remembered, 'owner' | 'place' | 'next_keys' | 'past_keys'> {
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

/** Writes two copies, each completely or not at all, so that a pinned key survives a kill and a power failure. */
function writeMemory(file: string, memory: Remembered): void {
  const text = JSON.stringify(memory)
  for (const place of [file, toCopyPath(file)]) {
    const fresh = `${place}.${process.pid}.new`
    fs.writeFileSync(fresh, text, { mode: 0o600, flush: true })
    fs.renameSync(fresh, place)
  }
}
