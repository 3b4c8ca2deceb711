// @ts-check
// Brotli's best level sends a tenth less than a level that is fast enough for a request. Uses only Node.js, as packages are not installed yet.
import fs from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import zlib from 'node:zlib'

const TYPES = new Map([
  ['.js', 'application/javascript; charset=UTF-8'],
  ['.css', 'text/css; charset=UTF-8'],
])
const brotli = promisify(zlib.brotliCompress)

/** Files below `static` of the build, with slashes as in addresses. @param {string} build */
function listStaticFiles(build) {
  const folder = path.join(build, 'static')
  return fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.split(path.sep).join('/'))
}

/** Writes `<name>.br` beside each program and style. @param {string} build such as `.next` */
export async function precompress(build) {
  const names = listStaticFiles(build).filter((name) => TYPES.has(path.extname(name)))
  await Promise.all(
    names.map(async (name) => {
      const file = path.join(build, 'static', name)
      await writeFile(`${file}.br`, await brotli(await readFile(file)))
    }),
  )
}

/**
 * False: another file. All from memory: two megabytes. Addresses contain a hash of the content, so clients cache them permanently.
 * @param {string} build
 * @param {Readonly<Record<string, string>>} headers of every answer
 */
export function precompressedAnswers(build, headers) {
  const files = new Map(
    listStaticFiles(build)
      .filter((name) => name.endsWith('.br'))
      .map((name) => [
        `/_next/static/${name.slice(0, -3)}`,
        fs.readFileSync(path.join(build, 'static', name)),
      ]),
  )
  /** @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response @param {string} place */
  return (request, response, place) => {
    const [address = ''] = place.split('?')
    const content = files.get(address)
    const takesBrotli = /\bbr\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(
      String(request.headers['accept-encoding']),
    )
    if (content === undefined || !takesBrotli || request.method !== 'GET') return false
    response.writeHead(200, {
      ...headers,
      'Content-Type': TYPES.get(path.extname(address)),
      'Content-Encoding': 'br',
      'Content-Length': content.length,
      'Cache-Control': 'public, max-age=31536000, immutable',
      Vary: 'Accept-Encoding',
    })
    response.end(content)
    return true
  }
}
