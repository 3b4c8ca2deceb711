import { readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describeError } from '@signalbox/runtime/base'
import { Unusable } from './io.ts'
import { describeReason } from './node-io.ts'

const MIB = 1024 * 1024

interface NamedFile {
  readonly cwd: string
  readonly name: string
}

/** Throws Unusable for an unreadable file, and for one above `most` bytes. */
export async function readNamed({ cwd, name }: NamedFile, most: number): Promise<Uint8Array> {
  const file = path.resolve(cwd, name)
  try {
    if ((await stat(file)).size > most) throw new Error(`it is larger than ${most / MIB} MiB`)
    return await readFile(file)
  } catch (error) {
    throw new Unusable(`${name} cannot be read: ${describeReason(error)}.`)
  }
}

/** `mode`: of a new file; absent: the system's default. Throws Unusable. */
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
