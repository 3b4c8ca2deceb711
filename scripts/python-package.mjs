// @ts-check
// Writes the Python client as a wheel and a source archive, which pip installs without a network. Needs no Python, so that every machine that
// builds the control plane can serve them. The same sources give the same bytes.
import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { zipSync } from 'fflate'
import { ROOT } from './build-steps.mjs'

const SOURCE = path.join(ROOT, 'packages/python')
const MODULE = path.join(SOURCE, 'src/signalbox')
/** First time that a zip can express; fflate takes the parts of local time. */
const ZIP_TIME = new Date(1980, 0, 1)
const BLOCK = 512

/** @typedef {Record<string, Buffer>} Files contents by path in the archive */

/** @param {string} file relative to packages/python @param {RegExp} form */
function readField(file, form) {
  const [, value] = form.exec(fs.readFileSync(path.join(SOURCE, file), 'utf8')) ?? []
  if (value === undefined) throw new Error(`packages/python/${file} has no ${form.source}`)
  return value
}

function readVersion() {
  const version = readField('src/signalbox/_version.py', /^VERSION = "(.+)"$/m)
  const whole = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')).version
  if (version !== whole)
    throw new Error(`The Python client has the version ${version}, and Signalbox has ${whole}.`)
  return version
}

/** @param {string} version */
function formatMetadata(version) {
  const fields = {
    'Metadata-Version': '2.1',
    Name: 'signalbox',
    Version: version,
    Summary: readField('pyproject.toml', /^description = "(.+)"$/m),
    License: 'Apache-2.0',
    'Requires-Python': readField('pyproject.toml', /^requires-python = "(.+)"$/m),
    'Description-Content-Type': 'text/markdown',
  }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\n`)
  return Buffer.from(
    `${lines.join('')}\n${fs.readFileSync(path.join(SOURCE, 'README.md'), 'utf8')}`,
  )
}

/** @returns {Files} */
function readModule() {
  const names = fs.readdirSync(MODULE).filter((name) => /\.(py|typed)$/.test(name))
  return Object.fromEntries(
    names.sort().map((name) => [`signalbox/${name}`, fs.readFileSync(path.join(MODULE, name))]),
  )
}

/** @param {string} name */
const readOwn = (name) => fs.readFileSync(path.join(SOURCE, name))
/** @param {string} name */
const readRoot = (name) => fs.readFileSync(path.join(ROOT, name))

/** @param {Files} files @param {string} record path of the list itself, whose digest it cannot contain */
function listRecord(files, record) {
  const lines = Object.entries(files).map(([name, bytes]) => {
    const digest = crypto.createHash('sha256').update(bytes).digest('base64url')
    return `${name},sha256=${digest},${bytes.length}\n`
  })
  return Buffer.from(`${lines.join('')}${record},,\n`)
}

/** @param {string} version */
function packWheel(version) {
  const info = `signalbox-${version}.dist-info`
  /** @type {Files} */
  const files = {
    ...readModule(),
    [`${info}/licenses/LICENSE`]: readRoot('LICENSE'),
    [`${info}/licenses/NOTICE`]: readRoot('NOTICE'),
    [`${info}/METADATA`]: formatMetadata(version),
    [`${info}/WHEEL`]: Buffer.from(
      'Wheel-Version: 1.0\nGenerator: signalbox\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    ),
  }
  const record = `${info}/RECORD`
  const all = { ...files, [record]: listRecord(files, record) }
  return zipSync(all, { level: 9, mtime: ZIP_TIME, os: 3, attrs: 0o100644 << 16 })
}

/** Header of a file in a tar archive (ustar). @param {string} name @param {number} size */
function formatTarHeader(name, size) {
  const header = Buffer.alloc(BLOCK)
  const octal = (/** @type {number} */ value, /** @type {number} */ digits) =>
    value.toString(8).padStart(digits, '0')
  header.write(name, 0)
  header.write(`${octal(0o644, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0`, 100)
  header.write(`${octal(size, 11)}\0${octal(0, 11)}\0${' '.repeat(8)}0`, 124)
  header.write('ustar\x0000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${octal(sum, 6)}\0 `, 148)
  return header
}

/** @param {string} version */
function packSources(version) {
  const sources = Object.entries(readModule()).map(([name, bytes]) => [`src/${name}`, bytes])
  /** @type {Files} */
  const files = {
    'PKG-INFO': formatMetadata(version),
    'pyproject.toml': readOwn('pyproject.toml'),
    'README.md': readOwn('README.md'),
    LICENSE: readRoot('LICENSE'),
    NOTICE: readRoot('NOTICE'),
    ...Object.fromEntries(sources),
  }
  const blocks = Object.entries(files).flatMap(([name, bytes]) => [
    formatTarHeader(`signalbox-${version}/${name}`, bytes.length),
    bytes,
    Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK),
  ])
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]), { level: 9 })
}

/** Returns the names of the files. @param {string} folder exists */
export function writePythonPackage(folder) {
  const version = readVersion()
  const files = {
    [`signalbox-${version}-py3-none-any.whl`]: packWheel(version),
    [`signalbox-${version}.tar.gz`]: packSources(version),
  }
  for (const [name, bytes] of Object.entries(files))
    fs.writeFileSync(path.join(folder, name), bytes)
  return Object.keys(files)
}
