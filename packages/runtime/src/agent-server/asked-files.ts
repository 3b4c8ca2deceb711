// Facts about files that only the client can look up: its disk is not this machine's, or it has not proved that it is.
import { randomBytes } from 'node:crypto'
import type { FileFact } from '@signalbox/core'
import type { AgentBody } from '@signalbox/wire'
import { UNKNOWN_FILE } from '../facts/confined-file.ts'
import { DEFAULT_ANSWER_MS } from '../facts/fact-finder.ts'
import type { FileLookup } from '../facts/file-lookup.ts'
import { AgentProblem } from './agent-problem.ts'

export type NeededFact = {
  readonly id: string
  readonly kind: 'file' | 'link'
  readonly path: string
}

type FactValue = AgentBody<'facts'>['facts'][number]['value']

interface OpenFact {
  readonly fact: NeededFact
  readonly answer: (value: FactValue) => void
}

export class AskedFiles implements FileLookup {
  readonly #onNeed: () => void
  readonly #open = new Map<string, OpenFact>()
  /** A late answer to a fact of an earlier process must not answer one of this process. */
  readonly #prefix = randomBytes(8).toString('hex')
  #count = 0

  constructor(onNeed: () => void) {
    this.#onNeed = onNeed
  }

  /** Facts that decisions wait for now. */
  get needs(): readonly NeededFact[] {
    return [...this.#open.values()].map(({ fact }) => fact)
  }

  async lookUp(path: string): Promise<FileFact> {
    const value = await this.#ask('file', path)
    return typeof value === 'object' ? value : UNKNOWN_FILE
  }

  async isLink(path: string): Promise<boolean | 'unknown'> {
    const value = await this.#ask('link', path)
    return typeof value === 'object' ? 'unknown' : value
  }

  /** Ignores facts that no decision waits for any longer. Throws AgentProblem, and takes none, when a value is of the other kind. */
  answer(facts: AgentBody<'facts'>['facts']): void {
    for (const [index, { id, value }] of facts.entries()) {
      const kind = this.#open.get(id)?.fact.kind
      if (kind === undefined || (kind === 'file') === (typeof value === 'object')) continue
      const message = `Use a value for a fact of the kind "${kind}".`
      const pointer = `/facts/${index}/value`
      throw new AgentProblem('body_invalid', 'The body is not valid.', [
        { pointer, code: 'other_kind', severity: 'error', message },
      ])
    }
    for (const { id, value } of facts) this.#open.get(id)?.answer(value)
  }

  /** "unknown": the client gave no answer in time. */
  #ask(kind: NeededFact['kind'], path: string): Promise<FactValue> {
    this.#count += 1
    const id = `${this.#prefix}-${this.#count}`
    return new Promise((resolve) => {
      const answer = (value: FactValue) => {
        clearTimeout(timer)
        this.#open.delete(id)
        resolve(value)
      }
      const timer = setTimeout(() => answer('unknown'), DEFAULT_ANSWER_MS)
      this.#open.set(id, { fact: { id, kind, path }, answer })
      this.#onNeed()
    })
  }
}
