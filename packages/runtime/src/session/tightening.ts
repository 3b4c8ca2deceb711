// For a version that is not proven as strict, reports once why the session keeps its own (specs/tighten.md).
import type { ConfigDocument } from '@signalbox/core'
import { compareStrictness, looserWords, type StrictnessNote } from '@signalbox/core/tighten'
import type { OnDiagnostic } from '../base/diagnostic.ts'
import type { Judging, SessionLog } from './session-log.ts'
import { findUnkeptContent, unkeptSentence } from './unkept-content.ts'

export interface TighterVersion extends Judging {
  readonly digest: string
  /** null: not published. */
  readonly version: number | null
  readonly revision: number | null
}

export interface TighteningParts {
  readonly log: SessionLog
  /** Stores a version before the session moves to it, so that the session can resume under it. An error leaves the session unchanged. */
  readonly keep: (config: ConfigDocument) => void
  readonly report: OnDiagnostic
}

export class Tightening {
  readonly #parts: TighteningParts
  readonly #declined = new Set<string>()

  constructor(parts: TighteningParts) {
    this.#parts = parts
  }

  /** Throws if the version cannot be stored or recorded; the session then keeps its own. */
  take({ digest, version, revision, ...judging }: TighterVersion): void {
    const { log, keep } = this.#parts
    const { config } = log
    if (config === null || digest === log.digest || this.#declined.has(digest)) return
    const compared = compareStrictness(config.document, judging.config.document)
    if (!compared.stricter) {
      const named = version === null ? 'a version' : `v${version}`
      const words = `${named} ${looserWords(compared.looser)}`
      this.#decline(digest, `Keeps its version: ${words}. ${joinReasons(compared.looser)}`)
      return
    }
    const { refused } = findUnkeptContent(judging.config, log.state.replaceable)
    if (refused.length > 0) {
      this.#decline(digest, `Keeps its version: ${unkeptSentence(refused)}`)
      return
    }
    keep(judging.config.document)
    log.take(judging, { digest, ...(revision === null ? {} : { revision }) })
  }

  #decline(digest: string, text: string): void {
    const { log, report } = this.#parts
    log.record('note', { text })
    this.#declined.add(digest)
    report({ level: 'warning', code: 'not_tightened', message: text })
  }
}

const MOST_REASONS = 3

function joinReasons(notes: readonly StrictnessNote[]): string {
  const told = notes.slice(0, MOST_REASONS).map(({ message }) => `${message}.`)
  const more = notes.length - told.length
  return [...told, ...(more > 0 ? [`And ${more} more.`] : [])].join(' ')
}
