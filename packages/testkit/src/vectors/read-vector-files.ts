import fs from 'node:fs'
import path from 'node:path'
import { VectorFile } from './vector-file.ts'

export interface ReadVectorFile {
  /** Relative to the folder, with `/`. */
  readonly name: string
  readonly file: VectorFile
}

/** Reads every `*.json` below `folder`, sorted by name. Throws for a file that the schema rejects. */
export function readVectorFiles(folder: string): readonly ReadVectorFile[] {
  const names = fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .sort()
  return names.map((name) => {
    const parsed = VectorFile.safeParse(
      JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8')),
    )
    if (!parsed.success) throw new Error(`${name}: ${parsed.error.message}`)
    return { name: name.replaceAll('\\', '/'), file: parsed.data }
  })
}
