// @ts-check
// Checks packed packages by publint and "are the types wrong". `-- --release` also refuses placeholder addresses.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { ROOT } from './build-steps.mjs'
import { bundleProblems } from './guardrails-bundle.mjs'
import { packPublished } from './installed-packages.mjs'

/** Files that every user needs and no entry point names. @type {{ [name: string]: readonly string[] }} */
const MUST_HOLD = {
  cli: ['dist/portable-page.html', 'dist/bin/main.js', 'dist/bin/plugin.js'],
  wire: ['schemas/config-v1.json'],
}
const ALL_HOLD = ['README.md', 'LICENSE', 'NOTICE']
/** Files that are useless without the sources, or only used by the build. */
const MUST_NOT_HOLD = /[.]map$|[.]tsbuildinfo$/
/** Versions are exact, because two releases could decide differently in an agent and on the server. */
const EXACT = ['@bufbuild/cel', '@bufbuild/re2']
const isRelease = process.argv.includes('--release')
/** Ways to import a package that TypeScript has and our packages do not support: they are ES modules with `exports`. */
const NOT_SUPPORTED = ['node10', 'node16-cjs']

/** @param {{ [name: string]: string }} dependencies @returns {string[]} */
function rangeProblems(dependencies) {
  return Object.entries(dependencies).flatMap(([name, range]) => {
    const isExact = name.startsWith('@signalbox/') || EXACT.includes(name)
    if (/^\d/.test(range) === isExact) return []
    return [`the dependency ${name} is ${range}, and must be ${isExact ? 'exact' : 'a range'}`]
  })
}

/** @param {string} place @returns {string[]} */
function manifestProblems(place) {
  const manifest = JSON.parse(fs.readFileSync(path.join(place, 'package.json'), 'utf8'))
  const problems = rangeProblems(manifest.dependencies ?? {})
  for (const field of [
    'description',
    'keywords',
    'homepage',
    'bugs',
    'repository',
    'main',
    'types',
  ])
    if (manifest[field] === undefined) problems.push(`package.json has no "${field}"`)
  // npm shows where and from which sources a package with provenance was built.
  if (manifest.publishConfig?.provenance !== true)
    problems.push('publishConfig.provenance is not true')
  if (isRelease && JSON.stringify(manifest).includes('signalbox.example'))
    problems.push(
      'homepage, bugs and repository use a reserved domain. Set them to addresses of the project.',
    )
  for (const name of ['LICENSE', 'NOTICE']) {
    const [own, whole] = [place, ROOT].map((folder) =>
      fs.readFileSync(path.join(folder, name), 'utf8'),
    )
    if (own !== whole) problems.push(`${name} differs from that of the repository`)
  }
  return problems
}

/** @param {string} place @returns {Promise<string[]>} */
async function entryPointProblems(place) {
  const manifest = JSON.parse(fs.readFileSync(path.join(place, 'package.json'), 'utf8'))
  const { messages } = await publint({ pkgDir: place, strict: true })
  return messages.map(
    (message) => formatMessage(message, manifest, { color: false }) ?? message.code,
  )
}

/** @param {string} name @param {string[]} held @returns {string[]} */
function contentProblems(name, held) {
  return [
    ...[...ALL_HOLD, ...(MUST_HOLD[name] ?? [])]
      .filter((one) => !held.includes(one))
      .map((one) => `${one} is not in the package`),
    ...held.filter((one) => MUST_NOT_HOLD.test(one)).map((one) => `${one} is in the package`),
  ]
}

/** @param {string} file a tarball @returns {Promise<string[]>} */
async function typeProblems(file) {
  const result = await checkPackage(createPackageFromTarballData(fs.readFileSync(file)))
  if (!result.types) return ['the package has no types']
  return result.problems
    .filter((one) => !('resolutionKind' in one && NOT_SUPPORTED.includes(one.resolutionKind)))
    .map((one) => JSON.stringify(one))
}

/** The package `signalbox`, which the build made. @returns {Promise<string[]>} */
async function commandProblems() {
  const { version } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8'))
  const file = path.join(ROOT, `dist/packages/signalbox-${version}.tgz`)
  if (!fs.existsSync(file))
    return ['dist/packages has no such package. Run node scripts/build-command.mjs first.']
  const tarball = new Uint8Array(fs.readFileSync(file)).buffer
  const { messages, pkg } = await publint({ strict: true, pack: { tarball } })
  return messages.map((message) => formatMessage(message, pkg, { color: false }) ?? message.code)
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-pack-'))
const packed = packPublished(folder)
let failed = 0
for (const { name, file, holds } of packed) {
  const place = path.join(ROOT, 'packages', name)
  const problems = [
    ...manifestProblems(place),
    ...(await entryPointProblems(place)),
    ...contentProblems(name, holds),
    ...(await typeProblems(file)),
    ...(name === 'runtime' ? await bundleProblems() : []),
  ]
  for (const problem of problems) console.error(`${name}: ${problem}`)
  failed += problems.length
}
for (const problem of await commandProblems()) {
  console.error(`signalbox: ${problem}`)
  failed += 1
}
fs.rmSync(folder, { recursive: true, force: true })
console.log(`${packed.length + 1} packages, ${failed} problems`)
process.exit(failed === 0 ? 0 : 1)
