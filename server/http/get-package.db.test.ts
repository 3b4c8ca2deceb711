import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { commandPackage } from '@/server/runtimes/served-packages.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { getPackage, MOST_DOWNLOADS } from './get-package.ts'

withTestDatabase()
afterEach(() => vi.restoreAllMocks())

const FILE = `signalbox-${packageJson.version}.tgz`
const WHEEL = `signalbox-${packageJson.version}-py3-none-any.whl`

const ask = (file: string) =>
  getPackage(new Request(`http://127.0.0.1:3000/packages/${file}`), {
    params: Promise.resolve({ file }),
  })

test('the packed CLI, libraries and Python client are served only under their own names, with their digests, and within a rate limit', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-served-'))
  onTestFinished(() => fs.rmSync(folder, { recursive: true }))
  fs.mkdirSync(path.join(folder, 'dist/packages'), { recursive: true })
  fs.writeFileSync(path.join(folder, 'dist/packages', FILE), 'a package')
  fs.writeFileSync(path.join(folder, 'dist/packages', WHEEL), 'a wheel')
  fs.writeFileSync(path.join(folder, 'dist/packages/other.tgz'), 'another file')
  fs.writeFileSync(path.join(folder, 'dist/packages/signalbox-core-1.0.0.tgz'), 'a library')
  const harnesses = [{ name: 'codex', title: 'Codex' }]
  const manifest = { name: '@signalbox/core', version: '1.0.0', dependencies: { zod: '^4' } }
  const libraries = [{ file: 'signalbox-core-1.0.0.tgz', manifest }]
  const programs = { python: 'import signalbox' }
  const contents = JSON.stringify({ harnesses, programs, libraries })
  fs.writeFileSync(path.join(folder, 'dist/packages/contents.json'), contents)
  vi.spyOn(process, 'cwd').mockReturnValue(folder)
  const sha256 = createHash('sha256').update('a package').digest('hex')
  expect(await commandPackage()).toEqual({
    path: `/packages/${FILE}`,
    version: packageJson.version,
    sha256,
    harnesses,
    programs,
    pythonClient: {
      path: `/packages/${WHEEL}`,
      sha256: createHash('sha256').update('a wheel').digest('hex'),
    },
  })
  const answer = await ask(FILE)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('etag')).toBe(`"${sha256}"`)
  expect(await answer.text()).toBe('a package')
  const wheel = await ask(WHEEL)
  expect([wheel.status, wheel.headers.get('content-type')]).toEqual([200, 'application/zip'])
  expect(await wheel.text()).toBe('a wheel')
  const dist = {
    tarball: expect.stringMatching(/^http.*\/packages\/signalbox-core-1\.0\.0\.tgz$/),
    integrity: `sha512-${createHash('sha512').update('a library').digest('base64')}`,
  }
  for (const name of ['@signalbox/core', '@signalbox%2fcore', '@signalbox%2Fcore']) {
    expect(await (await ask(name)).json()).toEqual({
      name: '@signalbox/core',
      'dist-tags': { latest: '1.0.0' },
      versions: { '1.0.0': { ...manifest, dist } },
    })
  }
  for (const name of [
    'other.tgz',
    'contents.json',
    '@signalbox/none',
    '../package.json',
    '',
    `${FILE}/`,
  ])
    expect((await ask(name)).status).toBe(404)
  // Twice as many as a minute allows, because one may end between them.
  const statuses = await Promise.all(
    Array.from({ length: 2 * MOST_DOWNLOADS + 2 }, async () => (await ask(FILE)).status),
  )
  expect(statuses).toContain(429)
})
