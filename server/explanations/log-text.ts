// The event loop runs between two pieces, so that a file of 64 MiB does not delay other requests.
import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'

/** About ten milliseconds of writing canonical text. */
const PIECE_CHARACTERS = 256 * 1024

export class LogText {
  readonly #hash = createHash('sha256')
  readonly #pieces: string[] = []
  #waiting = ''
  #count = 0
  #bytes = 0

  get count(): number {
    return this.#count
  }

  /** Bytes of UTF-8, line breaks included. */
  get bytes(): number {
    return this.#bytes
  }

  /** `line` without its line break. Await it before adding the next one. */
  async add(line: string): Promise<void> {
    const text = `${line}\n`
    this.#count += 1
    this.#bytes += Buffer.byteLength(text)
    this.#waiting += text
    if (this.#waiting.length < PIECE_CHARACTERS) return
    this.#cut()
    await setImmediate()
  }

  #cut(): void {
    this.#hash.update(this.#waiting)
    this.#pieces.push(this.#waiting)
    this.#waiting = ''
  }

  /** Returns everything; no line can be added afterwards. `digest`: as defined in specs/portable-bundle.md. */
  end(): { readonly pieces: readonly string[]; readonly digest: string } {
    this.#cut()
    return { pieces: this.#pieces, digest: `sha256:${this.#hash.digest('hex')}` }
  }
}
