import { unzipSync } from 'fflate'
import { Unusable } from '../base/io.ts'

export const MAX_ARCHIVE_BYTES = 256 * 1024 * 1024
const MAX_FILE_BYTES = 64 * 1024 * 1024
const MAX_FILES = 50_000

/** Throws Unusable for a file that is not a zip, and for a zip that would decompress to too much. */
export function readArchive(
  archive: Uint8Array,
  names: readonly string[],
): ReadonlyMap<string, Uint8Array> {
  let files = 0
  let bytes = 0
  const filter = ({ name, originalSize }: { name: string; originalSize: number }): boolean => {
    files += 1
    if (files > MAX_FILES) throw new Unusable(`The zip has more than ${MAX_FILES} files.`)
    if (!names.includes(name)) return false
    // Never decompresses beyond the size that the zip states, which therefore limits the memory.
    bytes += originalSize
    if (bytes > MAX_FILE_BYTES)
      throw new Unusable(`${name} would inflate to more than 64 MiB, so the zip is not read.`)
    return true
  }
  try {
    return new Map(Object.entries(unzipSync(archive, { filter })))
  } catch (error) {
    if (error instanceof Unusable) throw error
    const why = error instanceof Error ? error.message : String(error)
    throw new Unusable(`The file is not a zip that can be read: ${why}.`)
  }
}
