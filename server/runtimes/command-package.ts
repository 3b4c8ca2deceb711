// One package from the build (scripts/build-command.mjs), which a running server neither creates nor changes.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { registerReset } from '@/server/platform/process-memory.ts'
import packageJson from '../../package.json' with { type: 'json' }

const FOLDER = 'dist/packages'
const FILE = `signalbox-${packageJson.version}.tgz`
const Harness = z.object({ name: z.string(), title: z.string() })

export interface CommandPackage {
  readonly path: string
  readonly version: string
  /** 64 hexadecimal digits. */
  readonly sha256: string
  readonly harnesses: readonly z.infer<typeof Harness>[]
}

export interface PackedCommand {
  readonly shown: CommandPackage
  readonly file: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

let packed: Promise<PackedCommand | null> | null = null
registerReset(() => {
  packed = null
})

/** Null: this server was built without it. Read once, so that the digest always fits the served bytes. */
export function packedCommand(): Promise<PackedCommand | null> {
  packed ??= readPacked().catch((error: unknown) => {
    packed = null
    throw error
  })
  return packed
}

export async function commandPackage(): Promise<CommandPackage | null> {
  return (await packedCommand())?.shown ?? null
}

async function readPacked(): Promise<PackedCommand | null> {
  try {
    // The server runs in the folder of the repository (scripts/start.mjs).
    const folder = path.join(process.cwd(), FOLDER)
    const bytes = new Uint8Array(await readFile(path.join(folder, FILE)))
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const harnesses = JSON.parse(await readFile(path.join(folder, 'harnesses.json'), 'utf8'))
    const shown = {
      path: `/packages/${FILE}`,
      version: packageJson.version,
      sha256,
      harnesses: z.array(Harness).parse(harnesses),
    }
    return { shown, file: FILE, bytes }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}
