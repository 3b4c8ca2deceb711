// What our documents tell a reader to type, typed outside of this repository: programs on packed packages, and the commands that the
// console shows. `npm run check:documents` does it in every kind of project and on Node 20 and 24.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { FakeControlPlane, type ModelServer, startResponsesServer } from '@signalbox/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectCommands } from '../components/runtimes/connect-commands.ts'
import { getCommandPackage } from '../server/http/get-command-package.ts'
import { commandPackage } from '../server/services/command-package.ts'
import { type Block, blocksOfDocuments } from './document-blocks.mjs'
import {
  documentProjects,
  fileNameOf,
  makeProject,
  packAll,
  runFile,
  runsHere,
  typeProblems,
} from './documents.mjs'
import { said } from './product-process.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-documents-'))
const blocks: readonly Block[] = blocksOfDocuments()
const projects = documentProjects(folder)

const plane = new FakeControlPlane()
let model: ModelServer
let tarballs: readonly string[]

beforeAll(async () => {
  await plane.start()
  plane.publish(JSON.parse(fs.readFileSync('examples/demo-agent/config.json', 'utf8')))
  model = await startResponsesServer(() => ({ say: 'The notes are written.' }))
  tarballs = packAll(folder)
}, 180_000)

afterAll(async () => {
  await Promise.all([model.close(), plane.stop()])
  fs.rmSync(folder, { recursive: true, force: true })
})

test('every command and program of the documents runs, or says why not', () => {
  expect(blocks.length).toBeGreaterThan(15)
  for (const { file, line, notRun, needs } of blocks) {
    const where = `${file}:${line}`
    if (notRun !== null) expect(notRun.length, where).toBeGreaterThan(10)
    if (needs !== null) expect(['ai 6', 'ai 7'], where).toContain(needs)
  }
})

describe.each(projects)('a $type project on Node $major with $ai', ({ type, ai, node, place }) => {
  const run = blocks.flatMap((block, i) =>
    runsHere(block, ai)
      ? [{ block, file: fileNameOf(block, i), where: `${block.file}:${block.line}` }]
      : [],
  )

  test('installs one zod and has no errors of types', () => {
    makeProject({ folder: place, type, tarballs, ai })
    for (const { block, file } of run) fs.writeFileSync(path.join(place, file), block.text)
    const found = fs
      .readdirSync(place, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith(path.join('node_modules', 'zod', 'package.json')))
    expect(found).toHaveLength(1)
    const programs = run.map(({ file }) => file).filter((file) => !file.endsWith('.sh'))
    expect(typeProblems(place, programs)).toEqual([])
  }, 600_000)

  test.each(run)(
    'runs $where',
    async ({ block, file }) => {
      const env = {
        ...{ SIGNALBOX_URL: plane.url, SIGNALBOX_API_KEY: plane.apiKey },
        ...{ OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'sk-scripted' },
      }
      const { code, out } = await runFile(place, file, { node, env })
      expect(code, out).toBe(0)
      if (block.output !== null) expect(out).toBe(block.output)
    },
    120_000,
  )
})

/** Runs a command of the console as a user who has nothing but Node.js, npm and the tools of the system. */
function typed(command: string, where: string): ChildProcess {
  const home = path.join(folder, 'home')
  const bin = path.join(home, '.npm/bin')
  return spawn('/bin/sh', ['-c', command], {
    cwd: where,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...{ NODE_ENV: 'production', HOME: home, npm_config_prefix: path.join(home, '.npm') },
      PATH: [bin, path.dirname(process.execPath), '/usr/local/bin:/usr/bin:/bin'].join(':'),
    },
  })
}

async function outcome(child: ChildProcess) {
  let out = ''
  child.stdout?.on('data', (chunk) => (out += chunk))
  child.stderr?.on('data', (chunk) => (out += chunk))
  const code = await new Promise((resolve) => child.once('close', resolve))
  return { code, out }
}

/** The server's own handler of packages, on a port of its own. */
async function served() {
  const server = http.createServer(async (request, response) => {
    const file = path.basename(request.url ?? '')
    const answer = await getCommandPackage(new Request(`http://127.0.0.1${request.url}`), {
      params: Promise.resolve({ file }),
    })
    response.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer()))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on a port has an address with one.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}

const hasCurl = spawnSync('curl', ['--version']).status === 0

test.skipIf(!hasCurl)(
  'the commands that the console shows install the command, start the daemon and guard a project (needs curl)',
  async () => {
    const shipped = await commandPackage()
    if (shipped === null) throw new Error('The product was built without its command.')
    const project = path.join(folder, 'home/shop')
    fs.mkdirSync(project, { recursive: true })
    const { url, close } = await served()
    const stepsAt = (serverUrl: string) =>
      connectCommands({
        ...{ serverUrl, commandPackage: shipped, apiKey: plane.apiKey },
        ...{ prompt: 'demo/release-notes', harness: 'claude-code' },
      })
    const [install] = stepsAt(url)
    const [, daemon, guard] = stepsAt(plane.url)
    const installed = await outcome(typed(install?.command ?? '', project))
    await close()
    expect(installed.code, installed.out).toBe(0)
    const started = typed(
      `${daemon?.command.replace('signalbox daemon', 'exec signalbox daemon')}`,
      project,
    )
    try {
      await said(started, /signalbox daemon: demo\/release-notes on /)
      const { out } = await outcome(typed(guard?.command ?? '', project))
      expect(out).toContain('daemon: answers')
      expect(out).toContain('live: the canary was refused')
      expect(fs.existsSync(path.join(project, '.claude/settings.local.json'))).toBe(true)
    } finally {
      started.kill()
    }
  },
  180_000,
)
