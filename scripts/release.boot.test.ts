// Unpacked into an empty folder, with Node.js, npm and a shell in PATH, without a registry. SIGNALBOX_TEST_PREFIX=/guard tests that prefix.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import packageJson from '../package.json' with { type: 'json' }
import { NamedBlocks } from './document-blocks.mjs'
import { exited, freePort, ProcessGroup, ROOT, runScript, said, webPid } from './product-process.ts'

const PREFIX = process.env['SIGNALBOX_TEST_PREFIX'] ?? ''
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-release-'))
const release = path.join(folder, 'release')
const data = path.join(folder, 'data')
const bin = path.join(folder, 'bin')
const processes = new ProcessGroup()
const documented = new NamedBlocks(import.meta.filename)
const INSTALL = 'docs/operations/install.md'
/** The last documented command, which starts the release. */
let start = ''
let port = ''

beforeAll(async () => {
  // When root runs this, PostgreSQL's account must be able to read the folder.
  fs.chmodSync(folder, 0o755)
  const command = 'npm run release'
  const own = PREFIX === '' ? command : `${command} -- --prefix ${PREFIX}`
  const made = await runScript(documented.take(INSTALL, { [command]: own }), {})
  const [, archive = ''] = /^(dist\/release\/\S+\.tar\.gz): \d+ MB$/m.exec(made.said) ?? []
  expect([made.code, made.complained]).toEqual([0, ''])
  const name = ['signalbox', packageJson.version, process.platform, process.arch].join('-')
  expect(path.basename(archive)).toBe(`${name}${PREFIX.replaceAll('/', '-')}.tar.gz`)
  port = String(await freePort())
  const steps = documented.take(INSTALL, {
    '/opt/signalbox': release,
    'signalbox-*.tar.gz': path.join(ROOT, archive),
    '/var/lib/signalbox': data,
    'npm start': `exec npm start -- --no-demo --port ${port}`,
  })
  const [unpack = '', cd = ''] = steps.split(/^(cd .*)/ms)
  start = cd
  const unpacked = await runScript(unpack, {})
  expect(unpacked.code, unpacked.said).toBe(0)
  fs.mkdirSync(bin)
  fs.symlinkSync(process.execPath, path.join(bin, 'node'))
  // npm runs every script with sh.
  fs.symlinkSync('/bin/sh', path.join(bin, 'sh'))
  const npm = spawnSync('npm', ['root', '--global'], { encoding: 'utf8' }).stdout.trim()
  fs.symlinkSync(path.join(npm, 'npm/bin/npm-cli.js'), path.join(bin, 'npm'))
}, 600_000)

afterAll(() => {
  processes.endAll()
  fs.rmSync(folder, { recursive: true, force: true })
})

type Environment = Readonly<Record<string, string>>

const npm = (args: readonly string[], more: Environment = {}) =>
  runInside('cd "$0" && exec npm "$@"', [release, ...args], more)

function runInside(script: string, args: readonly string[] = [], more: Environment = {}) {
  const env = {
    PATH: bin,
    HOME: folder,
    SIGNALBOX_DATA_DIR: data,
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
    ...more,
  }
  const words = Object.entries(env).map(([key, value]) => `${key}=${value}`)
  return processes.startProgram('/usr/bin/env', ['-i', ...words, '/bin/sh', '-c', script, ...args])
}

it('a release contains no tool that installs or builds', () => {
  const packages = fs.readdirSync(path.join(release, 'node_modules'))
  for (const tool of ['typescript', 'prisma', 'esbuild', 'tailwindcss', 'vitest'])
    expect(packages).not.toContain(tool)
  expect(fs.existsSync(path.join(release, 'node_modules/@next/env'))).toBe(true)
  expect(fs.readdirSync(path.join(release, 'node_modules/@next'))).toEqual(['env'])
})

it('a release refuses an address with another prefix before it creates any data', async () => {
  const refused = npm(['start'], { SIGNALBOX_URL: 'https://host.example/other' })
  const built = PREFIX === '' ? 'no prefix' : `the prefix ${PREFIX}`
  await expect(said(refused, /Signalbox is ready/)).rejects.toThrow(
    `SIGNALBOX_URL has the prefix /other, but this build is for ${built}: change SIGNALBOX_URL, or make a release with "npm run release -- --prefix /other".`,
  )
  expect(refused.exitCode).toBe(20)
  expect(fs.existsSync(data)).toBe(false)
})

const ADMIN = { name: 'Ana', email: 'ana@example.test', password: 'correct horse battery' }

it('a release starts without a build, creates its administrator, shows a live session, is backed up, and stops', async () => {
  const origin = `http://127.0.0.1:${port}`
  const url = `${origin}${PREFIX}`
  const post = async (place: string, body: object): Promise<Response> => {
    const headers = { 'content-type': 'application/json', origin }
    const answer = await fetch(`${url}${place}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    expect(answer.ok, `${place}: ${answer.status}`).toBe(true)
    return answer
  }
  processes.endDatabaseIn(data)
  const product = runInside(start)
  const output = await said(product, /Signalbox is ready at .*\n/)
  expect(output).not.toMatch(/Installing|Generating|Compiling|Building|Packing/)
  expect(output).toContain(
    `Signalbox is ready at ${url} · first administrator: ${url}/setup?token=`,
  )
  if (process.platform === 'linux') {
    const status = fs.readFileSync(`/proc/${webPid(data)}/status`, 'utf8')
    const [, kilobytes = ''] = /VmRSS:\s+(\d+)/.exec(status) ?? []
    process.stdout.write(`release: ${Math.round(Number(kilobytes) / 1024)} MiB when it is ready\n`)
  }

  const [, token = ''] = /setup\?token=(\S+)/.exec(output) ?? []
  await post('/api/trpc/members.setup', { token, ...ADMIN })
  const entry = await post('/api/auth/sign-in/email', ADMIN)
  const cookies = entry.headers.getSetCookie()
  expect(cookies.find((line) => line.startsWith('signalbox.session_token='))).toContain(
    `Path=${PREFIX === '' ? '/' : PREFIX};`,
  )
  const headers = { cookie: cookies.map((line) => line.split(';')[0]).join('; ') }
  const page = await fetch(`${url}/sessions`, { headers })
  const text = await page.text()
  expect([page.status, page.url]).toEqual([200, `${url}/sessions`])
  const parts = [...text.matchAll(/(?:src|href)="([^"]*\/_next\/[^"]+)"/g)].map(([, part]) => part)
  expect(parts.length).toBeGreaterThan(5)
  for (const part of parts) {
    expect(part?.startsWith(`${PREFIX}/_next/`), part).toBe(true)
    expect((await fetch(`${origin}${part}`)).status, part).toBe(200)
  }

  const live = await fetch(`${url}/api/trpc/live.notifications`, {
    headers: { ...headers, accept: 'text/event-stream' },
  })
  const demo = npm(['run', 'demo'])
  const worked = exited(demo).then(() => expect(demo.exitCode).toBe(0))
  const [heard] = await Promise.all([firstSession(live), worked])
  const terms = [{ kind: 'text', field: 'demo', words: ['only'], isNegated: false }]
  const query = new URLSearchParams({ format: 'jsonl', filter: JSON.stringify({ terms }) })
  const sessions = await fetch(`${url}/api/export/sessions?${query.toString()}`, { headers })
  expect(await sessions.text()).toContain(heard)

  const file = path.join(folder, 'all.backup')
  const backup = npm(['run', 'backup', '--', file], {
    SIGNALBOX_BACKUP_PASSPHRASE: 'a passphrase of a backup',
  })
  expect(await said(backup, /contains .*\n/)).toMatch(/contains 1 sessions?, \d+ events/)

  process.kill(-(product.pid ?? 0), 'SIGTERM')
  // npm ends before the program that it runs.
  const lock = path.join(data, 'start.lock')
  await vi.waitUntil(() => !fs.existsSync(lock), { timeout: 60_000, interval: 100 })
})

it('every block of the documents that names this test was run', () => {
  expect(documented.listLeft()).toEqual([])
})

async function firstSession({ body }: Response): Promise<string> {
  let text = ''
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk
    const [id] = /sess_\w+/.exec(text) ?? []
    if (id !== undefined) return id
  }
  throw new Error(`The stream ended: ${text}`)
}
