// Bundles and key records are signed: the relay cannot change them unnoticed by runtimes, and need not understand them.
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import fsp from 'node:fs/promises'
import path from 'node:path'
import { isJsonObject } from '@signalbox/core'
import { writeDurably } from './durable-file.ts'

export interface KeptAnswer {
  /** Path and query. */
  readonly question: string
  readonly body: string
  /** Only headers that runtimes read. */
  readonly headers: { readonly [name: string]: string }
}

/** Revision of the bundle; null: the answer is not a bundle. */
export function readRevision({ headers }: KeptAnswer): number | null {
  const revision = Number(headers['signalbox-revision'] ?? Number.NaN)
  return Number.isSafeInteger(revision) ? revision : null
}

/** Limit per key, besides `keys`; the latest requests remain. Runtimes of one prompt differ in the parts that they request. */
const MOST_QUESTIONS = 16

interface Entry {
  readonly answer: KeptAnswer
  readonly turn: number
  isWritten: boolean
}

export class KeptAnswers {
  readonly #folder: string
  /** In order of the runtimes' requests, the latest last. */
  readonly #entries = new Map<string, Entry>()
  #turn = 0
  #writing: Promise<void> = Promise.resolve()

  constructor(dataDir: string) {
    this.#folder = path.join(dataDir, 'answers')
    fs.mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    for (const name of fs.readdirSync(this.#folder).filter((one) => one.endsWith('.json'))) {
      const answer = parsed(fs.readFileSync(path.join(this.#folder, name), 'utf8'))
      if (answer === null) continue
      this.#entries.set(name.slice(0, -'.json'.length), { answer, turn: 0, isWritten: true })
    }
  }

  /** `hash`: SHA-256 of the API key. `question`: path and query. */
  get(hash: string, question: string): KeptAnswer | null {
    return this.#entries.get(toAnswerFileName(hash, question))?.answer ?? null
  }

  /** Call when a runtime requests the answer. */
  touch(hash: string, question: string): void {
    const name = toAnswerFileName(hash, question)
    const entry = this.#entries.get(name)
    if (entry === undefined) return
    this.#entries.delete(name)
    this.#entries.set(name, entry)
  }

  questions(hash: string): readonly string[] {
    return this.#of(hash).map(([, { answer }]) => answer.question)
  }

  /** Call before a request to the control plane: an answer never replaces one that was requested later. */
  nextTurn(): number {
    this.#turn += 1
    return this.#turn
  }

  /** Resolves when the stored answer is on disk. */
  async put(hash: string, answer: KeptAnswer, turn: number): Promise<void> {
    const name = toAnswerFileName(hash, answer.question)
    const known = this.#entries.get(name)
    if (known === undefined || known.turn < turn) {
      const isWritten = known?.isWritten === true && isSame(known.answer, answer)
      this.#entries.set(name, { answer, turn, isWritten })
    }
    const old = this.#of(hash).filter(([, entry]) => entry.answer.question !== 'keys')
    for (const [one] of old.slice(0, -MOST_QUESTIONS)) this.#entries.delete(one)
    await this.#queue(async () => {
      for (const [one] of old.slice(0, -MOST_QUESTIONS)) await this.#write(one)
      await this.#write(name)
    })
  }

  async drop(hash: string): Promise<void> {
    const names = this.#of(hash).map(([name]) => name)
    for (const name of names) this.#entries.delete(name)
    await this.#queue(async () => {
      for (const name of names) await this.#write(name)
    })
  }

  #of(hash: string): readonly (readonly [string, Entry])[] {
    return [...this.#entries].filter(([name]) => name.startsWith(hash.slice(0, 32)))
  }

  /** Serializes writes: two of one file would damage each other. */
  #queue(work: () => Promise<void>): Promise<void> {
    this.#writing = this.#writing.then(work, work)
    return this.#writing
  }

  async #write(name: string): Promise<void> {
    const file = path.join(this.#folder, `${name}.json`)
    const entry = this.#entries.get(name)
    if (entry === undefined) return fsp.rm(file, { force: true })
    if (entry.isWritten) return
    await writeDurably(file, JSON.stringify(entry.answer))
    entry.isWritten = true
  }
}

function isSame(one: KeptAnswer, other: KeptAnswer): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

function toAnswerFileName(hash: string, question: string): string {
  const asked = createHash('sha256').update(question).digest('hex')
  return `${hash.slice(0, 32)}-${asked.slice(0, 16)}`
}

/** null: the text is not in our format. */
function parsed(text: string): KeptAnswer | null {
  try {
    const value: unknown = JSON.parse(text)
    if (!isJsonObject(value) || typeof value['body'] !== 'string') return null
    if (typeof value['question'] !== 'string') return null
    const headers = isJsonObject(value['headers']) ? value['headers'] : {}
    const texts = Object.entries(headers).flatMap(([name, one]) =>
      typeof one === 'string' ? [[name, one] as const] : [],
    )
    const { body, question } = { body: value['body'], question: value['question'] }
    return { question, body, headers: Object.fromEntries(texts) }
  } catch {
    return null
  }
}
