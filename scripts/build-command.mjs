// @ts-check
// Bundles the command, which then starts in a fraction of the time: for the npm package, and without dependencies for the control plane,
// as dist/packages/signalbox-<version>.tgz, with the libraries and the Python client next to it. The same sources and Node.js give the same
// bytes.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { ROOT } from './build-steps.mjs'
import { bundleCommand } from './bundle-command.mjs'
import { readFirstBlock } from './document-blocks.mjs'
import { listLicenses, packPublished } from './installed-packages.mjs'
import { writePythonPackage } from './python-package.mjs'

const OUTPUT = path.join(ROOT, 'dist/packages')
const CLI = path.join(ROOT, 'packages/cli')
const BIN = path.join(CLI, 'dist/bin')
const LICENSES = 'THIRD-PARTY-LICENSES.txt'
/** @param {readonly string[]} inputs */
function packagesIn(inputs) {
  return inputs.flatMap((input) => {
    const [, folder] = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input) ?? []
    return folder === undefined ? [] : [folder]
  })
}

/** Fields that the package without dependencies takes from that of the CLI. */
const SAME_FIELDS = [
  ...['version', 'description', 'license', 'keywords', 'homepage', 'bugs', 'repository'],
  ...['publishConfig', 'type', 'engines'],
]

function manifest() {
  const own = JSON.parse(fs.readFileSync(path.join(CLI, 'package.json'), 'utf8'))
  const fields = Object.fromEntries(SAME_FIELDS.map((name) => [name, own[name]]))
  return JSON.stringify(
    { name: 'signalbox', ...fields, bin: { signalbox: './dist/main.js' } },
    null,
    2,
  )
}

async function bundle() {
  const main = path.join(BIN, 'main.js')
  fs.rmSync(BIN, { recursive: true, force: true })
  const inputs = await bundleCommand(path.join(CLI, 'dist/main.js'), main)
  fs.chmodSync(main, 0o755)
  // Path at which the bundle expects the file of its module.
  fs.copyFileSync(
    path.join(ROOT, 'packages/adapters/dist/opencode/plugin.js'),
    path.join(BIN, 'plugin.js'),
  )
  fs.writeFileSync(path.join(BIN, LICENSES), listLicenses(packagesIn(inputs)))
}

/** @param {string} folder */
function stage(folder) {
  fs.mkdirSync(path.join(folder, 'dist'))
  for (const name of fs.readdirSync(BIN).filter((name) => name.endsWith('.js')))
    fs.copyFileSync(path.join(BIN, name), path.join(folder, 'dist', name))
  const page = path.join(CLI, 'dist/portable-page.html')
  // The page is one folder above the bundle in both packages.
  const files = [page, path.join(BIN, LICENSES)]
  for (const name of ['README.md', 'LICENSE', 'NOTICE']) files.push(path.join(CLI, name))
  for (const file of files) fs.copyFileSync(file, path.join(folder, path.basename(file)))
  fs.writeFileSync(path.join(folder, 'package.json'), manifest())
}

/** `[{ name, title }]`; an import by name would make the types depend on the build. */
async function listHarnesses() {
  const adapters = pathToFileURL(path.join(ROOT, 'packages/adapters/dist/index.js')).href
  /** @type {import('@signalbox/adapters')} */
  const { ADAPTERS } = await import(adapters)
  return ADAPTERS.filter(({ init }) => init !== null).map(({ name, title }) => ({ name, title }))
}

/** Documents whose first program the console shows, by agent. The tests of the documents run it. */
const PROGRAMS = {
  'ai-sdk': 'specs/adapters/ai-sdk.md',
  'openai-agents': 'specs/adapters/openai-agents.md',
  langchain: 'specs/adapters/langchain.md',
  langgraph: 'specs/adapters/langgraph.md',
  mastra: 'specs/adapters/mastra.md',
  'claude-agent-sdk': 'specs/adapters/claude-agent-sdk.md',
}

const readPrograms = () =>
  Object.fromEntries(Object.entries(PROGRAMS).map(([agent, file]) => [agent, readFirstBlock(file)]))

/** Fields of a manifest that a package manager reads before it downloads. */
const INSTALLED_BY = [
  ...['name', 'version', 'bin', 'engines', 'dependencies', 'optionalDependencies'],
  ...['peerDependencies', 'peerDependenciesMeta'],
]

/** Packs the libraries. @returns `[{ file, manifest }]` */
function packLibraries() {
  return packPublished(OUTPUT).map(({ name, file }) => {
    const text = fs.readFileSync(path.join(ROOT, 'packages', name, 'package.json'), 'utf8')
    const fields = Object.entries(JSON.parse(text)).filter(([key]) => INSTALLED_BY.includes(key))
    return { file: path.basename(file), manifest: Object.fromEntries(fields) }
  })
}

await bundle()
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-command-'))
try {
  stage(folder)
  fs.rmSync(OUTPUT, { recursive: true, force: true })
  fs.mkdirSync(OUTPUT, { recursive: true })
  const packed = spawnSync('npm', ['pack', '--silent', '--pack-destination', OUTPUT], {
    cwd: folder,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  if (packed.status !== 0) throw new Error(`npm pack failed: ${packed.stderr}`)
  const file = path.join(OUTPUT, packed.stdout.trim())
  const harnesses = await listHarnesses()
  const contents = { harnesses, programs: readPrograms(), libraries: packLibraries() }
  fs.writeFileSync(path.join(OUTPUT, 'contents.json'), JSON.stringify(contents))
  writePythonPackage(OUTPUT)
  process.stdout.write(
    `${path.relative(ROOT, file)}: ${(fs.statSync(file).size / 1000).toFixed(0)} kB\n`,
  )
} finally {
  fs.rmSync(folder, { recursive: true, force: true })
}
