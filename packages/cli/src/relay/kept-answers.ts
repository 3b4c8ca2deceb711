// What the control plane last answered, kept on disk by key and question: the signed bundle and the record of signing keys. The relay
// cannot change them without the runtimes noticing, and need not understand them.
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { isJsonObject } from '@signalbox/core'
import { writeDurably } from './durable-file.ts'

export interface KeptAnswer {
  /** Path and query. */
  readonly question: string
  readonly body: string
  /** The headers that runtimes read. */
  readonly headers: { readonly [name: string]: string }
}

/** Revision of the bundle; null for other answers. */
export function revisionOf({ headers }: KeptAnswer): number | null {
  const revision = Number(headers['signalbox-revision'] ?? Number.NaN)
  return Number.isSafeInteger(revision) ? revision : null
}

export class KeptAnswers {
  readonly #folder: string
  readonly #answers = new Map<string, KeptAnswer>()

  constructor(dataDir: string) {
    this.#folder = path.join(dataDir, 'answers')
    fs.mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    for (const name of fs.readdirSync(this.#folder).filter((one) => one.endsWith('.json'))) {
      const answer = parsed(fs.readFileSync(path.join(this.#folder, name), 'utf8'))
      if (answer !== null) this.#answers.set(name.slice(0, -'.json'.length), answer)
    }
  }

  /** `hash` of the key; `question`: path and query. */
  get(hash: string, question: string): KeptAnswer | null {
    return this.#answers.get(nameOf(hash, question)) ?? null
  }

  /** What was asked with this key. */
  questions(hash: string): readonly string[] {
    return [...this.#answers]
      .filter(([name]) => name.startsWith(hash.slice(0, 32)))
      .map(([, { question }]) => question)
  }

  async put(hash: string, answer: KeptAnswer): Promise<void> {
    const name = nameOf(hash, answer.question)
    if (JSON.stringify(this.#answers.get(name)) === JSON.stringify(answer)) return
    this.#answers.set(name, answer)
    await writeDurably(path.join(this.#folder, `${name}.json`), JSON.stringify(answer))
  }

  /** What the key may no longer have. */
  drop(hash: string): void {
    for (const name of this.#answers.keys()) {
      if (!name.startsWith(hash.slice(0, 32))) continue
      this.#answers.delete(name)
      fs.rmSync(path.join(this.#folder, `${name}.json`), { force: true })
    }
  }
}

function nameOf(hash: string, question: string): string {
  const asked = createHash('sha256').update(question).digest('hex')
  return `${hash.slice(0, 32)}-${asked.slice(0, 16)}`
}

/** null for a text that is not one of ours. */
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
