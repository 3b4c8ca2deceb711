// @ts-check
// npm run release: dist/release/signalbox-<version>-<platform>.tar.gz starts with `npm start` after unpacking, and needs only Node.js.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { builtinModules } from 'node:module'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { describeError, Failure, isDiskFull } from '../server/platform/base/failure.mjs'
import { MARKER, prepare, ROOT, selectWebBuild } from './build-steps.mjs'
import { listLicenses, packagesFor } from './installed-packages.mjs'

const OUTPUT = path.join(ROOT, 'dist/release')
/** Commands of package.json that an operator runs. */
const COMMANDS = ['start', 'migrate', 'secret', 'backup', 'restore', 'move-project', 'demo']
/** Programs that these commands start, and files that Next reads. */
const STARTED = [
  'scripts/tracing.mjs',
  'scripts/serve.mjs',
  'scripts/cluster.mjs',
  'server/prevention/prevent-worker.mjs',
  'server/suggestions/learn-worker.mjs',
  'server/claims/prove-worker.mjs',
  'examples/demo-agent/dist/main.js',
  'next.config.mjs',
]
const FILES = [
  ...['LICENSE', 'NOTICE', 'CHANGELOG.md', 'SECURITY.md', 'docs', 'deploy'],
  ...['prisma/migrations', 'examples/demo-agent/configs'],
  ...['dist/packages', 'packages/cli/dist/portable-page.html'],
  // Pages of the documentation.
  ...fs
    .readdirSync(path.join(ROOT, 'specs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.join('specs', name)),
]
/** Parts of Next's build that its server does not read. */
const NOT_SERVED = /\/\.next[^/]*\/(cache|types|diagnostics|trace[^/]*)$|\.(nft\.json|map)$/
/** Parts of a package that no program reads at run time; for large packages, also parts for other uses than ours. */
const NOT_RUN = [
  /\.(map|d\.[cm]?ts|tsbuildinfo)$/,
  // Builds for bundlers, documentation, development servers.
  /\/next\/dist\/(esm|docs|bundle-analyzer)$/,
  /\/next\/dist\/compiled\/next-server\/[^/]*\.dev\.js$/,
  // Query compilers for other databases.
  /\/@prisma\/client\/runtime\/[^/]*\.(cockroachdb|mysql|sqlite|sqlserver)\./,
]
const PREFIX = /^(\/[\w.~-]+)+$/

function readOptions() {
  try {
    const { values } = parseArgs({ options: { prefix: { type: 'string', default: '' } } })
    const prefix = values.prefix.replace(/\/$/, '')
    if (prefix === '' || PREFIX.test(prefix)) return { prefix }
    throw new Error(`the prefix ${values.prefix} is not a path such as /guard`)
  } catch (error) {
    const why = describeError(error)
    throw new Failure(
      'usage',
      `The options are invalid: ${why}. Try "npm run release -- --prefix /guard".`,
    )
  }
}

/** Our modules, and the names of all packages, that these programs import. @param {readonly string[]} entryPoints */
async function listImports(entryPoints) {
  // Loaded late, because it is missing before packages are installed.
  const { build } = await import('esbuild')
  const { metafile } = await build({
    entryPoints: [...entryPoints],
    absWorkingDir: ROOT,
    outdir: OUTPUT,
    write: false,
    bundle: true,
    metafile: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    tsconfigRaw: '{}',
    logLevel: 'error',
  })
  const imported = Object.values(metafile.inputs).flatMap(({ imports }) => imports)
  const packages = imported
    .filter((one) => one.external === true && !/^node:/.test(one.path))
    .map((one) => one.path.split('/', one.path.startsWith('@') ? 2 : 1).join('/'))
    .filter((name) => !builtinModules.includes(name))
  return { files: Object.keys(metafile.inputs), packages }
}

/** Packages that Next's build imports at run time: it contains a link to each. @param {string} folder @returns {string[]} */
function linkedPackages(folder) {
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name)
    if (!entry.isSymbolicLink()) return linkedPackages(file)
    return [path.relative(path.join(ROOT, 'node_modules'), fs.realpathSync(file))]
  })
}

/** @param {string} from @param {string} to @param {(file: string) => boolean} [filter] */
function copy(from, to, filter = () => true) {
  fs.cpSync(from, to, { recursive: true, verbatimSymlinks: true, filter })
}

/**
 * Copies a package. Our own is a link to its folder, of which only the compiled part is copied.
 * @param {string} folder
 * @param {string} to
 */
function copyPackage(folder, to) {
  const from = fs.realpathSync(path.join(ROOT, folder))
  const isOurs = !from.includes('node_modules')
  copy(from, path.join(to, folder), (file) => {
    const [top = ''] = path.relative(from, file).split(path.sep)
    if (isOurs && !/^(dist|package\.json|LICENSE|NOTICE|)$/.test(top)) return false
    return top !== 'node_modules' && !NOT_RUN.some((form) => form.test(file))
  })
}

/** @param {string} to @param {string} prefix @param {any} manifest */
async function stage(to, prefix, manifest) {
  const commands = COMMANDS.filter((name) => name in manifest.scripts)
  const programs = commands.map((name) => manifest.scripts[name].replace('node ', ''))
  const { files, packages } = await listImports(
    [...programs, ...STARTED].map((file) => `./${file}`),
  )
  for (const file of [...files, ...FILES]) copy(path.join(ROOT, file), path.join(to, file))
  const web = path.join(ROOT, selectWebBuild(prefix))
  copy(web, path.join(to, '.next'), (file) => !NOT_SERVED.test(file))
  const { binariesFor } = await import('../server/platform/db/embedded/binaries.mjs')
  const database = path.relative(
    path.join(ROOT, 'node_modules'),
    path.dirname(binariesFor(null, '')),
  )
  const linked = linkedPackages(path.join(web, 'node_modules'))
  for (const folder of packagesFor([...packages, ...linked, database])) copyPackage(folder, to)
  const inBundles = packagesFor(Object.keys(manifest.dependencies))
  fs.writeFileSync(path.join(to, 'THIRD-PARTY-LICENSES.txt'), listLicenses(inBundles))
  const { name, version, license, engines } = manifest
  const scripts = Object.fromEntries(commands.map((one) => [one, manifest.scripts[one]]))
  const fields = { name, version, private: true, license, type: 'module', engines, scripts }
  fs.writeFileSync(path.join(to, 'package.json'), `${JSON.stringify(fields, null, 2)}\n`)
  fs.writeFileSync(path.join(to, path.basename(MARKER)), `${JSON.stringify({ version, prefix })}\n`)
}

/** @param {string} folder @param {string} file */
function pack(folder, file) {
  const packed = spawnSync(
    'tar',
    ['-czf', file, '-C', path.dirname(folder), path.basename(folder)],
    { encoding: 'utf8' },
  )
  if (packed.status !== 0) throw new Error(`tar failed: ${packed.stderr ?? packed.error?.message}`)
}

async function main() {
  const { prefix } = readOptions()
  await prepare({ web: true, prefix })
  const manifest = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8'))
  const folder = path.join(OUTPUT, `signalbox-${manifest.version}`)
  const platform = `${process.platform}-${process.arch}`
  const file = `${folder}-${platform}${prefix.replaceAll('/', '-')}.tar.gz`
  fs.rmSync(folder, { recursive: true, force: true })
  try {
    await stage(folder, prefix, manifest)
    pack(folder, file)
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
  const megabytes = (fs.statSync(file).size / 1e6).toFixed(0)
  process.stdout.write(`${path.relative(ROOT, file)}: ${megabytes} MB\n`)
}

try {
  await main()
} catch (error) {
  const isFull = !(error instanceof Failure) && isDiskFull(error)
  process.exitCode = error instanceof Failure ? error.exitCode : isFull ? 15 : 1
  process.stderr.write(
    `${isFull ? 'The disk is full. Free some space and run it again.' : describeError(error)}\n`,
  )
}
