// @ts-check
import { spawn, spawnSync } from 'node:child_process'
import crypto from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { systemStateDir } from '../server/platform/db/embedded/binaries.mjs'

const PROGRAMS = {
  'nats-server': ['nats-server', '/usr/sbin/nats-server', '/usr/local/bin/nats-server'],
  // Hooks call the daemon with it; without it, with Node.js.
  curl: ['curl'],
  // The Python client and its tests.
  python3: ['/usr/bin/python3', 'python3'],
  // The fence lists sources with it, and the steps of the GitHub Action compare with it.
  git: ['git'],
  // Tests of TLS make their certificates with it.
  openssl: ['openssl'],
}

/** Never fails. Without the NATS server, its tests are skipped, or fail where CI is set; without the other programs, tests fail. */
export async function ensurePrograms() {
  const missing = Object.entries(PROGRAMS).flatMap(([name, places]) =>
    places.some(isThere) ? [] : [name],
  )
  if (!canMakeEnvironments()) missing.push('python3-venv')
  if (missing.length > 0) await installPackages(missing)
}

/** Debian's Python where there is one, because a version manager may put an older one in front of it. */
export function findPython() {
  return PROGRAMS.python3.find(isThere) ?? 'python3'
}

/** pip installs the Python client into a virtual environment. */
function canMakeEnvironments() {
  return spawnSync(findPython(), ['-m', 'ensurepip', '--version']).status === 0
}

/** Installs Debian packages if this process may. @param {readonly string[]} names */
export async function installPackages(names) {
  if (process.getuid?.() !== 0 || !fs.existsSync('/usr/bin/apt-get')) return
  process.stdout.write(`Installing ${names.join(', ')} …\n`)
  const install = ['install', '-y', '--no-install-recommends', ...names]
  if ((await runAptGet(install)) === 0) return
  await runAptGet(['update'])
  await runAptGet(install)
}

/** @param {readonly string[]} args @param {string} [cwd] */
async function runAptGet(args, cwd) {
  const [status] = await once(spawn('apt-get', args, { stdio: 'ignore', cwd }), 'close')
  return status
}

/**
 * As root into a folder that every account may read, else in the user's cache. The folder is kept. Rejects with the reason.
 * @param {string} name
 * @param {readonly string[]} packages
 * @param {{ suite: string, packages: readonly string[] }} newer packages that must come from this suite, because the system's own are too old
 */
export async function unpackPackages(name, packages, newer) {
  const names = [...packages, newer.suite, ...newer.packages]
  const hash = crypto.createHash('sha256').update(names.join(' ')).digest('hex').slice(0, 16)
  const kept =
    process.getuid?.() === 0 ? systemStateDir() : path.join(os.homedir(), '.cache/signalbox')
  const folder = path.join(kept, `${name}-${hash}`)
  if (fs.existsSync(folder)) return folder
  if (!fs.existsSync('/usr/bin/apt-get')) throw new Error('this system has no apt-get')
  process.stdout.write(
    `Unpacking ${packages.length + newer.packages.length} packages into ${folder} …\n`,
  )
  fs.mkdirSync(kept, { recursive: true, mode: 0o755 })
  const partial = fs.mkdtempSync(`${folder}.`)
  try {
    await downloadPackages(packages, { folder: partial })
    const options = writeSuite(newer.suite, partial)
    await downloadPackages(newer.packages, { folder: partial, options })
    fs.rmSync(path.join(partial, 'apt'), { recursive: true })
    for (const file of fs.readdirSync(partial).filter((each) => each.endsWith('.deb'))) {
      const { status } = spawnSync('dpkg', ['-x', file, '.'], { cwd: partial, stdio: 'ignore' })
      if (status !== 0) throw new Error(`dpkg cannot unpack ${file}`)
      fs.rmSync(path.join(partial, file))
    }
    fs.chmodSync(partial, 0o755)
    moveInto(partial, folder)
  } finally {
    fs.rmSync(partial, { recursive: true, force: true })
  }
  return folder
}

/** @param {readonly string[]} packages @param {{ folder: string, options?: readonly string[] }} how `options` of apt-get */
async function downloadPackages(packages, { folder, options = [] }) {
  const download = [...options, 'download', ...packages]
  if ((await runAptGet(download, folder)) === 0) return
  if (process.getuid?.() === 0 || options.length > 0) await runAptGet([...options, 'update'])
  if ((await runAptGet(download, folder)) === 0) return
  throw new Error(`apt-get cannot download ${packages.join(', ')}`)
}

/**
 * Returns apt-get's options for another suite of the Debian mirror that this system uses; the system's own settings stay as they are.
 * @param {string} suite @param {string} folder
 */
function writeSuite(suite, folder) {
  const own = fs
    .readdirSync('/etc/apt', { recursive: true, encoding: 'utf8' })
    .filter((name) => /^sources\.list$|^sources\.list\.d\/.*\.(list|sources)$/.test(name))
  const text = own.map((name) => fs.readFileSync(path.join('/etc/apt', name), 'utf8')).join('\n')
  const [, mirror] = /^(?:URIs:|deb\s+(?:\[[^\]]*\])?)\s*(\S+\/debian\/?)\s/m.exec(text) ?? []
  if (mirror === undefined)
    throw new Error('the package sources of this system name no Debian mirror')
  const lists = path.join(folder, 'apt/lists')
  const sources = path.join(folder, 'apt/sources.list')
  fs.mkdirSync(path.join(lists, 'partial'), { recursive: true })
  fs.writeFileSync(sources, `deb ${mirror} ${suite} main\n`)
  const settings = [`Dir::Etc::sourcelist=${sources}`, 'Dir::Etc::sourceparts=-']
  return [...settings, `Dir::State::lists=${lists}`].flatMap((setting) => ['-o', setting])
}

/** Renames a folder that is complete now. @param {string} partial @param {string} folder */
export function moveInto(partial, folder) {
  try {
    fs.renameSync(partial, folder)
  } catch (error) {
    // Another process was faster.
    if (!fs.existsSync(folder)) throw error
  }
}

/** @param {string} program */
function isThere(program) {
  // Not every program knows the option.
  return spawnSync(program, ['--version']).error === undefined
}
