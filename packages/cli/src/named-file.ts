// Files that a command is given by name: read within a bound, and written, with what failed in words.
import { readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Unusable } from './io.ts'

const MIB = 1024 * 1024

export function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

interface NamedFile {
  /** Base folder of relative names. */
  readonly cwd: string
  /** Name as typed, also used in messages. */
  readonly name: string
}

/** Throws Unusable for what cannot be read, and for more than `most` bytes. */
export async function readNamed({ cwd, name }: NamedFile, most: number): Promise<Uint8Array> {
  const file = path.resolve(cwd, name)
  try {
    if ((await stat(file)).size > most) throw new Error(`it is larger than ${most / MIB} MiB`)
    return await readFile(file)
  } catch (error) {
    throw new Unusable(`${name} cannot be read: ${describeError(error)}.`)
  }
}

/** `mode`: of a new file; absent: as the system makes it. Throws Unusable. */
export async function writeNamed(
  { cwd, name }: NamedFile,
  text: string,
  mode?: number,
): Promise<void> {
  try {
    await writeFile(path.resolve(cwd, name), text, mode === undefined ? {} : { mode })
  } catch (error) {
    throw new Unusable(`${name} cannot be written: ${describeError(error)}.`)
  }
}
