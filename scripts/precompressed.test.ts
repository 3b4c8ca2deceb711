import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { precompress, precompressedAnswers } from './precompressed.mjs'

const PROGRAM = 'console.log("guardrails")\n'.repeat(200)
const build = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-build-'))
let server: http.Server
let base = ''

beforeAll(async () => {
  fs.mkdirSync(path.join(build, 'static/chunks'), { recursive: true })
  fs.writeFileSync(path.join(build, 'static/chunks/page.js'), PROGRAM)
  fs.writeFileSync(path.join(build, 'static/font.woff2'), 'font')
  fs.writeFileSync(path.join(build, 'secret.br'), 'secret')
  await precompress(build)
  const answer = precompressedAnswers(build, { 'X-Frame-Options': 'DENY' })
  server = http.createServer((request, response) => {
    if (!answer(request, response, request.url ?? '')) response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on a port has an address with a port.
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
  fs.rmSync(build, { recursive: true })
})

const ask = (place: string, encoding = 'gzip, br') =>
  fetch(`${base}${place}`, { headers: { 'accept-encoding': encoding } })

test('a chunk compressed by the build is served with caching and the headers of every answer', async () => {
  const answer = await ask('/_next/static/chunks/page.js?dpl=1')
  expect(await answer.text()).toBe(PROGRAM)
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'cache-control': 'public, max-age=31536000, immutable',
    'content-encoding': 'br',
    'content-type': 'application/javascript; charset=UTF-8',
    vary: 'Accept-Encoding',
    'x-frame-options': 'DENY',
  })
  const { size } = fs.statSync(path.join(build, 'static/chunks/page.js.br'))
  expect(answer.headers.get('content-length')).toBe(String(size))
})

test.each([
  ['a client that does not accept Brotli', '/_next/static/chunks/page.js', 'gzip'],
  ['a client that refuses Brotli', '/_next/static/chunks/page.js', 'gzip, br;q=0'],
  ['a file that was not compressed', '/_next/static/font.woff2', 'br'],
  ['the compressed file under its own name', '/_next/static/chunks/page.js.br', 'br'],
  ['a file outside of the folder', '/_next/static/..%2fsecret', 'br'],
])(
  'the request for %s is left to Next instead of the compressed files',
  async (_, place, encoding) => {
    expect((await ask(place, encoding)).status).toBe(404)
  },
)
