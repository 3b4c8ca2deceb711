// @ts-check
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { ROOT } from './build-steps.mjs'

/** @param {string} folder @returns {any} */
const readManifest = (folder) =>
  JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'))

/** Resolves a package like Node.js; null: not installed. @param {string} name @param {string} from */
function findPackage(name, from) {
  for (let at = from; ; at = path.dirname(at)) {
    const folder = path.join(at, 'node_modules', name)
    if (fs.existsSync(path.join(folder, 'package.json'))) return folder
    if (at === ROOT) return null
  }
}

/** Packages that only types need. */
const IS_TYPES = /^(@types\/|typescript$)/

/** @param {any} manifest @returns {string[]} */
function neededBy({ dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} }) {
  const peers = Object.keys(peerDependencies).filter(
    (name) => peerDependenciesMeta[name]?.optional !== true,
  )
  return [...Object.keys(dependencies), ...peers].filter((name) => !IS_TYPES.test(name))
}

/**
 * Folders of these packages and of all their dependencies, relative to the root. Omits optional dependencies: ours are compilers and other
 * build tools. Throws when a package is not installed.
 * @param {readonly string[]} names
 */
export function packagesFor(names) {
  /** @type {Set<string>} */
  const folders = new Set()
  /** @param {string} name @param {string} from */
  const add = (name, from) => {
    const folder = findPackage(name, from)
    if (folder === null)
      throw new Error(`${path.relative(ROOT, from)} needs ${name}, which is not installed.`)
    const relative = path.relative(ROOT, folder)
    if (folders.has(relative)) return
    folders.add(relative)
    const real = fs.realpathSync(folder)
    for (const needed of neededBy(readManifest(real))) add(needed, real)
  }
  for (const name of names) add(name, ROOT)
  return [...folders].sort()
}

/** Folder names below packages/ of the packages that users install. @returns {string[]} */
function publishedPackages() {
  const folder = path.join(ROOT, 'packages')
  return fs
    .readdirSync(folder)
    .filter((name) => fs.existsSync(path.join(folder, name, 'package.json')))
    .filter((name) => readManifest(path.join(folder, name)).private !== true)
}

/** @param {readonly string[]} folders */
export function listLicenses(folders) {
  return [...new Set(folders)]
    .sort()
    .map((folder) => readLicense(path.join(ROOT, folder)))
    .join('\n')
}

/** @param {string} folder */
function readLicense(folder) {
  const { name, version, license } = readManifest(folder)
  const file = fs.readdirSync(folder).find((one) => /^licen[cs]e/i.test(one))
  const text = file === undefined ? '' : fs.readFileSync(path.join(folder, file), 'utf8').trim()
  return `${'='.repeat(80)}\n${name} ${version} (${license})\n\n${text}\n`
}

/**
 * In one run of npm. Throws when npm fails.
 * @param {string} folder destination of the tarballs
 * @returns {{ name: string, file: string, holds: string[] }[]} folder name below packages/, tarball, and its files
 */
export function packPublished(folder) {
  const places = publishedPackages().map((name) => `./packages/${name}`)
  const packed = spawnSync('npm', ['pack', '--json', '--pack-destination', folder, ...places], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  if (packed.status !== 0) throw new Error(`npm pack failed: ${packed.stderr}`)
  /** @type {readonly { name: string, filename: string, files: readonly { path: string }[] }[]} */
  const tarballs = JSON.parse(packed.stdout)
  return tarballs.map(({ name, filename, files }) => ({
    name: name.replace('@signalbox/', ''),
    file: path.join(folder, filename),
    holds: files.map((one) => one.path),
  }))
}
