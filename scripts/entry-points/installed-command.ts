// The packed command is served by a local registry, and installed by the step of the GitHub workflow.
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { ROOT } from '../product-process.ts'

export type Environment = Readonly<Record<string, string>>

export interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

export async function outcome(child: ChildProcess): Promise<Ran> {
  let out = ''
  let err = ''
  child.stdout?.on('data', (chunk) => {
    out += chunk
  })
  child.stderr?.on('data', (chunk) => {
    err += chunk
  })
  const code = await new Promise<number | null>((resolve, reject) => {
    // A missing program emits no close.
    child.once('error', reject).once('close', resolve)
  })
  return { code, out, err }
}

async function serveRegistry(tarballs: readonly string[]) {
  const server = http.createServer((request, response) => {
    const name = decodeURIComponent(request.url ?? '').slice(1)
    const file = tarballs.find((one) => path.basename(one) === name)
    if (file !== undefined) response.end(fs.readFileSync(file))
    else response.end(JSON.stringify(packuments.get(name) ?? {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on a port has an address with a port.
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const packuments = new Map(
    tarballs.map((file) => {
      const [, folder = ''] = /signalbox-([a-z]+)-/.exec(path.basename(file)) ?? []
      const manifest: { readonly name: string; readonly version: string } = JSON.parse(
        fs.readFileSync(path.join(ROOT, 'packages', folder, 'package.json'), 'utf8'),
      )
      const { name, version } = manifest
      const sha512 = createHash('sha512').update(fs.readFileSync(file)).digest('base64')
      const dist = { tarball: `${url}/${path.basename(file)}`, integrity: `sha512-${sha512}` }
      const versions = { [version]: { ...manifest, dist } }
      return [name, { name, 'dist-tags': { latest: version }, versions }] as const
    }),
  )
  return { url, close: () => new Promise((resolve) => server.close(resolve)) }
}

export interface InstalledCommand {
  readonly program: string
  readonly folder: string
  readonly env: Environment
}

/** The user's npm settings, so that third-party packages come from the usual registry. */
function ownSettings(): string {
  const file = path.join(os.homedir(), '.npmrc')
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : ''
}

/** The tarballs of our packages, which the build packed. */
function listPacked(): readonly string[] {
  const packages = path.join(ROOT, 'dist/packages')
  return fs
    .readdirSync(packages)
    .filter((name) => /^signalbox-[a-z]+-.*\.tgz$/.test(name))
    .map((name) => path.join(packages, name))
}

/** `install`: command line of the workflow's step. */
export async function installCommand(folder: string, install: string): Promise<InstalledCommand> {
  const prefix = path.join(folder, 'prefix')
  const home = path.join(folder, 'home')
  // Contains only Node.js, so that harnesses of this machine are not found.
  const bin = path.join(folder, 'bin')
  for (const one of [prefix, home, bin]) fs.mkdirSync(one, { recursive: true })
  fs.symlinkSync(process.execPath, path.join(bin, 'node'))
  const registry = await serveRegistry(listPacked())
  const userconfig = path.join(folder, 'npmrc')
  const settings = [
    `@signalbox:registry=${registry.url}`,
    ...['prefer-offline=true', 'audit=false', 'fund=false'],
  ]
  fs.writeFileSync(userconfig, [ownSettings(), ...settings].join('\n'))
  // Under `npm test`, the environment sets a prefix, which takes precedence over any file.
  const env = { ...process.env, npm_config_userconfig: userconfig, npm_config_prefix: prefix }
  const { code, err } = await outcome(spawn('/bin/sh', ['-c', install], { cwd: folder, env }))
  await registry.close()
  if (code !== 0) throw new Error(`${install} ended with ${code}: ${err}`)
  return {
    program: path.join(prefix, 'bin/signalbox'),
    folder: path.join(prefix, 'lib/node_modules/@signalbox/cli'),
    env: {
      NODE_ENV: 'production',
      HOME: home,
      PATH: [path.join(prefix, 'bin'), bin, '/usr/local/bin:/usr/bin:/bin'].join(':'),
    },
  }
}
