// Packages from the build (scripts/build-command.mjs), which a running server neither creates nor changes. Their versions always match it.

import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { env } from '@/server/platform/base/env.ts'
import { isAbsent } from '@/server/platform/base/errors.ts'
import { registerReset } from '@/server/platform/base/process-memory.ts'
import packageJson from '../../package.json' with { type: 'json' }

const FOLDER = 'dist/packages'
const COMMAND = `signalbox-${packageJson.version}.tgz`
const PYTHON_CLIENT = `signalbox-${packageJson.version}-py3-none-any.whl`
const Contents = z.object({
  harnesses: z.array(z.object({ name: z.string(), title: z.string() })),
  programs: z.record(z.string(), z.string()),
  libraries: z.array(
    z.object({
      file: z.string(),
      manifest: z.looseObject({ name: z.string(), version: z.string() }),
    }),
  ),
})

interface ServedFile {
  /** Below the address of the server. */
  readonly path: string
  /** 64 hexadecimal digits. */
  readonly sha256: string
}

export interface CommandPackage extends ServedFile {
  readonly version: string
  readonly pythonClient: ServedFile
  readonly harnesses: z.infer<typeof Contents>['harnesses']
  /** Programs of the documents, by agent. */
  readonly programs: z.infer<typeof Contents>['programs']
}

export interface PackedFile {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** 64 hexadecimal digits. */
  readonly sha256: string
  /** `sha512-` and base64, as in a lock file of npm. */
  readonly integrity: string
  readonly contentType: string
}

interface Packed extends z.infer<typeof Contents> {
  readonly files: ReadonlyMap<string, PackedFile>
}

let packed: Promise<Packed | null> | null = null
registerReset(() => {
  packed = null
})

/** Null: this server has no package of this name. */
export async function findPackedFile(name: string): Promise<PackedFile | null> {
  return (await packedFiles())?.files.get(name) ?? null
}

/**
 * What npm, pnpm, yarn and bun ask a registry for: the versions of a library, which is the one of this server. Null: there is no library of this
 * name.
 */
export async function findLibrary(name: string): Promise<object | null> {
  const packed = await packedFiles()
  const library = packed?.libraries.find(({ manifest }) => manifest.name === name)
  const file = library === undefined ? undefined : packed?.files.get(library.file)
  if (library === undefined || file === undefined) return null
  const { version } = library.manifest
  const dist = {
    tarball: `${env().SIGNALBOX_URL}/packages/${library.file}`,
    integrity: file.integrity,
  }
  return {
    name,
    'dist-tags': { latest: version },
    versions: { [version]: { ...library.manifest, dist } },
  }
}

/** Null: this server was built without it. */
export async function commandPackage(): Promise<CommandPackage | null> {
  const found = await packedFiles()
  const [command, pythonClient] = [COMMAND, PYTHON_CLIENT].map((name) => {
    const sha256 = found?.files.get(name)?.sha256
    return sha256 === undefined ? null : { path: `/packages/${name}`, sha256 }
  })
  if (found === null || !command || !pythonClient) return null
  const { harnesses, programs } = found
  return { ...command, version: packageJson.version, pythonClient, harnesses, programs }
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
    const contents = Contents.parse(
      JSON.parse(await readFile(path.join(folder, 'contents.json'), 'utf8')),
    )
    const names = [COMMAND, PYTHON_CLIENT, ...contents.libraries.map(({ file }) => file)]
    const files = await Promise.all(
      names.map(async (name) => {
        const bytes = new Uint8Array(await readFile(path.join(folder, name)))
        const sha256 = createHash('sha256').update(bytes).digest('hex')
        const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
        const contentType = name.endsWith('.whl') ? 'application/zip' : 'application/gzip'
        return [name, { bytes, sha256, integrity, contentType }] as const
      }),
    )
    return { ...contents, files: new Map(files) }
  } catch (error) {
    if (isAbsent(error)) return null
    throw error
  }
}
