import fs from 'node:fs'
import { describeError } from '@signalbox/runtime/base'
import { Unusable } from '../base/io.ts'

const OTHERS = 0o077

/** Lines of JSON in a file that only its owner can read. Each line is on the disk before the next step runs. */
export class SecretsFile {
  readonly #file: number

  private constructor(file: number) {
    this.#file = file
  }

  /** Opened before anything is created, so that no secret is lost. Throws Unusable, also for a file that others can read. */
  static open(name: string): SecretsFile {
    const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = fs.constants
    let file: number
    try {
      file = fs.openSync(name, O_APPEND | O_CREAT | O_NOFOLLOW | O_WRONLY, 0o600)
    } catch (error) {
      throw new Unusable(`The secrets cannot be written to ${name}: ${describeError(error)}.`)
    }
    if ((fs.fstatSync(file).mode & OTHERS) === 0) return new SecretsFile(file)
    fs.closeSync(file)
    throw new Unusable(
      `Other users can read ${name}. Remove it, or name another file with --secrets.`,
    )
  }

  append(line: object): void {
    fs.writeSync(this.#file, `${JSON.stringify(line)}\n`)
    fs.fsyncSync(this.#file)
  }

  close(): void {
    fs.closeSync(this.#file)
  }
}
