// Packages from the build (scripts/build-command.mjs), which a running server neither creates nor changes. Their versions always match it.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { registerReset } from '@/server/platform/base/process-memory.ts'
import packageJson from '../../package.json' with { type: 'json' }

const FOLDER = 'dist/packages'
const COMMAND = `signalbox-${packageJson.version}.tgz`
/** Content types by name: every file that is served. */
const SERVED = {
  [COMMAND]: 'application/gzip',
  [`signalbox-${packageJson.version}-py3-none-any.whl`]: 'application/zip',
}
const Harness = z.object({ name: z.string(), title: z.string() })

export interface CommandPackage {
  readonly path: string
  readonly version: string
  /** 64 hexadecimal digits. */
  readonly sha256: string
  readonly harnesses: readonly z.infer<typeof Harness>[]
}

export interface PackedFile {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** 64 hexadecimal digits. */
  readonly sha256: string
  readonly contentType: string
}

interface Packed {
  readonly files: ReadonlyMap<string, PackedFile>
  readonly harnesses: CommandPackage['harnesses']
}

let packed: Promise<Packed | null> | null = null
registerReset(() => {
  packed = null
})

/** Null: this server has no package of this name. */
export async function findPackedFile(name: string): Promise<PackedFile | null> {
  return (await packedFiles())?.files.get(name) ?? null
}

/** Null: this server was built without it. */
export async function commandPackage(): Promise<CommandPackage | null> {
  const found = await packedFiles()
  const command = found?.files.get(COMMAND)
  if (found === null || command === undefined) return null
  return {
    path: `/packages/${COMMAND}`,
    version: packageJson.version,
    sha256: command.sha256,
    harnesses: found.harnesses,
  }
}

/** Null: this server was built without packages. Read once, so that a digest always fits the served bytes. */
function packedFiles(): Promise<Packed | null> {
  packed ??= readPacked().catch((error: unknown) => {
    packed = null
    throw error
  })
  return packed
}

async function readPacked(): Promise<Packed | null> {
  try {
    // The server runs in the folder of the repository (scripts/start.mjs).
    const folder = path.join(process.cwd(), FOLDER)
    const files = await Promise.all(
      Object.entries(SERVED).map(async ([name, contentType]) => {
        const bytes = new Uint8Array(await readFile(path.join(folder, name)))
        const sha256 = createHash('sha256').update(bytes).digest('hex')
        return [name, { bytes, sha256, contentType }] as const
      }),
    )
    const harnesses = JSON.parse(await readFile(path.join(folder, 'harnesses.json'), 'utf8'))
    return { files: new Map(files), harnesses: z.array(Harness).parse(harnesses) }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}
