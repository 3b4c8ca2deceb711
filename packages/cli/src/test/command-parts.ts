import type { Io } from '../base/io.ts'
import type { Surroundings } from '../base/surroundings.ts'

/** By default: an empty environment, no input, and a signal that is never aborted. */
export function makeSurroundings(given: Partial<Surroundings> = {}): Surroundings {
  return {
    env: {},
    cwd: '/',
    home: '/',
    node: process.execPath,
    entry: '/main.js',
    stopSignal: () => new AbortController().signal,
    readInput: async () => '',
    ...given,
  }
}

/** Reader absent: every file is empty. */
export function recordIo(given: Partial<Pick<Io, 'readText' | 'readLines'>> = {}) {
  const out: string[] = []
  const err: string[] = []
  const io: Io = {
    out: (line) => out.push(line),
    err: (line) => err.push(line),
    readText: async () => '',
    readLines: async function* () {},
    ...given,
  }
  return { io, out, err }
}
