// Outside of this repository, with packed packages, in each kind of project and on each Node.js.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import {
  claudeEnvironment,
  FakeControlPlane,
  harnessFile,
  type ModelServer,
  startAnthropicServer,
  startChatServer,
  startResponsesServer,
  whyNotInstalled,
} from '@signalbox/testkit'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  CONNECT_AGENTS,
  type ConnectAgentName,
  findConnectAgent,
} from '@/components/runtimes/connect-agents.ts'
import { connectCommands } from '@/components/runtimes/connect-commands.ts'
import { sealed } from '@/packages/cli/src/test/portable-lab.ts'
import { builtAgent, builtToolServer } from '@/packages/cli/src/test/proxy-lab.ts'
import { getPackage } from '@/server/http/get-package.ts'
import { commandPackage } from '@/server/runtimes/served-packages.ts'
import { type Block, listDocumentBlocks } from './document-blocks.mjs'
import {
  copyProject,
  documentBun,
  documentNodes,
  installRest,
  type Kind,
  makeProject,
  npmEnvironment,
  outcome,
  programFile,
  projectIn,
  RESOLUTIONS,
  type Reader,
  startAs,
  typeProblems,
} from './documents.ts'
import { freePort, ROOT, said } from './product-process.ts'
import { IS_SOAK, selectSample } from './soak-sample.mjs'
import { findPython } from './system-programs.mjs'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-documents-'))
const blocks = listDocumentBlocks().filter(({ by }) => by === null)
const { nodes, missing } = documentNodes()
const bun = documentBun()
const readers = nodes.map(
  (node): Reader => ({ node, home: path.join(folder, `node-${node.major}`) }),
)
const whyNoClaude = whyNotInstalled('first')

/** Opens a session of the agent protocol. */
const OPENING = JSON.stringify({
  prompt: 'team/coder',
  session_key: 'documents',
  agent: { name: 'triage', language: 'shell' },
  capabilities: {
    ...{ deny_reason: true, inject: 'in_result', block_stop: 'in_loop', max_blocks: null },
    ...{ structured: 'none', structured_attempts: null, failure: 'event', call_ids: true },
    ...{ batch: 'serial', on_guard_crash: 'closed', on_guard_timeout: 'closed', ungoverned: [] },
  },
})

/** Any free port for a daemon, because another test may use the usual one. */
const OWN_PORT = { SIGNALBOX_DAEMON_PORT: '0' }

const NOTES = { file_path: 'RELEASE_NOTES.md', content: 'What is new in 1.0.' }
const HELLO: Readonly<Record<string, object>> = {
  'specs/adapters/mcp.md': {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1.0.0' },
  },
  'specs/adapters/acp.md': { protocolVersion: 1, clientCapabilities: {} },
}

const certificate = makeCertificate()
const plane = new FakeControlPlane()
const models: Record<'anthropic' | 'chat' | 'responses', ModelServer> = Object.create(null)
let proxyPort = 0
/** For the agent servers of the documents. */
let agentPort = 0
const AGENT_TOKEN = 'agents'
let packages: Awaited<ReturnType<typeof servePackages>>

const writer = (name: string, input: object) => (request: { readonly text: string }) =>
  request.text.includes(NOTES.content)
    ? { say: 'Written.' }
    : { calls: [{ name, input: { ...input } }] }

beforeAll(async () => {
  await plane.start()
  const config = (file: string) => JSON.parse(fs.readFileSync(`examples/${file}`, 'utf8'))
  plane.publish(config('demo-agent/configs/release-notes.json'), config('coding-agent/config.json'))
  const script = writer('write_file', NOTES)
  models.responses = await startResponsesServer(script)
  models.chat = await startChatServer(script)
  models.anthropic = await startAnthropicServer(writer('Write', NOTES))
  proxyPort = await freePort()
  agentPort = await freePort()
  packages = await servePackages()
  const servers = { 'my-server': await builtToolServer(folder), opencode: await builtAgent(folder) }
  for (const { home } of readers) {
    for (const name of ['bin', 'shop', 'work'])
      fs.mkdirSync(path.join(home, name), { recursive: true })
    for (const [name, file] of Object.entries(servers)) {
      // It has no version that doctor could ask for, and would wait for a message instead.
      const text = `#!/bin/sh\n[ "$1" != --version ] || exit 1\nexec node ${file}\n`
      fs.writeFileSync(path.join(home, 'bin', name), text, { mode: 0o755 })
    }
    const python = `#!/bin/sh\nexec ${findPython()} "$@"\n`
    fs.writeFileSync(path.join(home, 'bin/python3'), python, { mode: 0o755 })
    const resolve = `resolve = "guard.example:${agentPort}:127.0.0.1"\n`
    fs.writeFileSync(path.join(home, '.curlrc'), resolve)
  }
})

afterAll(async () => {
  await Promise.all([...Object.values(models).map((model) => model.close()), plane.stop()])
  await packages.close()
  print()
  fs.rmSync(folder, { recursive: true, force: true })
})

const ran = new Map<string, string[]>()

function print(): void {
  for (const { where, notRun } of blocks)
    console.log(
      `${where}: ${notRun === null ? (ran.get(where) ?? ['NOT RUN']).join(', ') : `not run: ${notRun}`}`,
    )
  const left = blocks.filter(({ notRun }) => notRun !== null)
  console.log(`${blocks.length} blocks, ${left.length} marked not to be run`)
}

const isProgram = ({ language }: Block) => language === 'ts'
const isPacking = ({ text }: Block) => text.includes('npm pack')

/** One run of Claude is enough: it starts a program of 200 MB. */
function runsAs({ notRun, needs }: Block, { node, home }: Reader, kind: Kind): boolean {
  if (notRun !== null) return false
  if (needs === 'Claude Agent SDK')
    return whyNoClaude === null && home === readers[0]?.home && kind === 'esm'
  return needs === null || needs === (node.major >= 22 ? 'ai 7' : 'ai 6')
}

/** A program runs in one of the four pairs of Node.js version and project kind; in a soak, in all of them. */
function isInSample({ needs, index }: Block, reader: Reader, kind: Kind): boolean {
  const pair = 2 * readers.indexOf(reader) + (kind === 'esm' ? 1 : 0)
  return IS_SOAK || needs !== null || (pair + index) % 4 === 0
}

const documents = [...new Set(blocks.map(({ file }) => file))]

/** The commands of a document, which use each other's files, run on one Node.js; in a soak, on each. */
function runsCommandsOf(file: string, reader: Reader): boolean {
  return IS_SOAK || documents.indexOf(file) % readers.length === readers.indexOf(reader)
}

/** The READMEs of the packages name Bun. In a soak, it runs the programs of all documents. */
function isForBun({ file, needs }: Block): boolean {
  return needs !== 'Claude Agent SDK' && (IS_SOAK || /^packages\/[a-z]+\/README\.md$/.test(file))
}

function asTyped({ text }: Block, home: string): string {
  return (
    text
      // Ports first, because the address of a test may contain their digits.
      .replaceAll(/8123|4620/g, (port) => String(port === '8123' ? proxyPort : agentPort))
      .replaceAll('sbx_…', plane.apiKey)
      .replaceAll('http://127.0.0.1:3000/packages', `${packages.url}/packages`)
      .replaceAll('http://127.0.0.1:3000', plane.url)
      .replaceAll('stop_….signalbox', 'stop_1.signalbox')
      .replaceAll('https://tools.example', `http://127.0.0.1:${proxyPort}`)
      .replaceAll(' /work ', ` ${path.join(home, 'work')} `)
      .replaceAll('coder.token', path.join(home, 'coder.token'))
      // The completed words appear only when a key is pressed; the registration is visible before.
      .replace(/(completion bash.*\n)/, '$1complete -p signalbox\n')
  )
}

function workFolder(home: string, name: string): string {
  const cwd = path.join(home, 'work', name)
  fs.mkdirSync(cwd)
  fs.copyFileSync('examples/coding-agent/config.json', path.join(cwd, 'rules.json'))
  fs.writeFileSync(path.join(cwd, 'stop_1.signalbox'), sealed())
  for (const [name, content] of Object.entries(certificate))
    fs.writeFileSync(path.join(cwd, name), content)
  fs.writeFileSync(path.join(cwd, 'opening.json'), OPENING)
  return cwd
}

/** Certificate of guard.example, which is its own authority. */
function makeCertificate(): Readonly<Record<'cert.pem' | 'ca.pem' | 'key.pem', string>> {
  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => path.join(folder, name))
  const made = spawnSync('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
    ...['-subj', '/CN=guard.example', '-addext', 'subjectAltName=DNS:guard.example'],
    ...['-keyout', key ?? '', '-out', cert ?? ''],
  ])
  if (made.status !== 0) throw new Error(`openssl: ${String(made.stderr)}`)
  const [secret = '', open = ''] = [key, cert].map((file) => fs.readFileSync(file ?? '', 'utf8'))
  return { 'key.pem': secret, 'cert.pem': open, 'ca.pem': open }
}

function buildBlockEnvironment(block: Block, home: string): NodeJS.ProcessEnv {
  if (isPacking(block)) return npmEnvironment()
  return {
    ...OWN_PORT,
    NODE_ENV: 'production',
    ...claudeEnvironment({ home, modelUrl: models.anthropic.url }),
    SIGNALBOX_URL: plane.url,
    SIGNALBOX_API_KEY: plane.apiKey,
    SIGNALBOX_ARCHIVE: path.join(home, 'shop'),
    TOOLS_TOKEN: 'tools',
    AGENT_TOKEN,
    OPENAI_BASE_URL: (/lang(chain|graph)/.test(block.file) ? models.chat : models.responses).url,
    OPENAI_API_KEY: 'sk-scripted',
    OPENAI_AGENTS_DISABLE_TRACING: '1',
  }
}

function findHello({ file }: Block): string | undefined {
  const params = HELLO[file]
  return params && JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
}

describe.each(readers)('documents on Node $node.major', (reader) => {
  const { home, node } = reader
  const modules = path.join(projectIn(home), 'node_modules')
  /** By its name: two daemons of one user would share a socket. */
  const staying = new Map<string, ChildProcess>()
  const kinds = (['cjs', 'esm'] as const).map((kind) => ({
    kind,
    programs: blocks.filter((one) => isProgram(one) && runsAs(one, reader, kind)),
  }))
  const commands = blocks.filter(
    (one) => !isProgram(one) && runsAs(one, reader, 'cjs') && runsCommandsOf(one.file, reader),
  )

  function start(block: Block, script: string, cwd: string): ChildProcess {
    const command = ['bash', '--norc', '-euo', 'pipefail', '-c', script]
    return startAs(reader, command, { cwd, env: buildBlockEnvironment(block, home) })
  }

  async function stay(block: Block, cwd: string): Promise<void> {
    const name = /^signalbox (\S+)/m.exec(block.text)?.[1] ?? block.where
    const earlier = staying.get(name)
    if (earlier !== undefined) await end(earlier)
    const child = start(block, asTyped(block, home).replace(/^signalbox /m, 'exec signalbox '), cwd)
    staying.set(name, child)
    await said(child, /^signalbox [a-z-]+: /m)
  }

  async function end(child: ChildProcess): Promise<void> {
    const ended = outcome(child)
    child.kill()
    const { code, out } = await ended
    expect(code, out).toBe(0)
  }

  async function run(block: Block, script: string, cwd: string): Promise<void> {
    const hello = findHello(block)
    const { code, out } = await outcome(start(block, script, cwd), hello)
    expect(code, `${script}\n${out}`).toBe(0)
    if (hello !== undefined) expect(JSON.parse(out), script).toHaveProperty('result')
  }

  async function runCommands(block: Block): Promise<void> {
    const cwd = isPacking(block) ? ROOT : workFolder(home, `${block.index}`)
    const typed = asTyped(block, home)
    if (block.way === 'until it is stopped') await stay(block, cwd)
    else if (block.way === null) await run(block, typed, cwd)
    else for (const line of typed.trim().split('\n')) await run(block, line, cwd)
    note(block, `Node ${node.major}`)
  }

  async function runProgram(block: Block, kind: Kind, program: readonly string[]) {
    const cwd = workFolder(home, `${kind}-${block.index}-${path.basename(program[0] ?? '')}`)
    const command = [...program, programFile(home, kind, block)]
    const earlier = new Set(plane.events.sessions())
    const env = buildBlockEnvironment(block, home)
    const child = startAs(reader, command, { cwd, env })
    if (block.way === 'until it is stopped') return await expectAgentServer(child)
    const { code, out } = await outcome(child, findHello(block))
    expect(code, out).toBe(0)
    if (block.output !== null) expect(out).toBe(block.output)
    if (!block.text.includes('RELEASE_NOTES.md')) return
    expect(fs.readFileSync(path.join(cwd, NOTES.file_path), 'utf8')).toBe(NOTES.content)
    const [session = ''] = plane.events.sessions().filter((name) => !earlier.has(name))
    const types = plane.events.events(session).map(({ type }) => type)
    for (const type of ['tool.decided', 'stop.decided', 'session.ended'])
      expect(types).toContain(type)
  }

  /** It knows the token, but no session. */
  async function expectAgentServer(child: ChildProcess): Promise<void> {
    const ended = outcome(child)
    const url = `http://127.0.0.1:${agentPort}/agent/v1/sessions/sess_1`
    const headers = { authorization: `Bearer ${AGENT_TOKEN}` }
    const ask = async () => expect((await fetch(url, { headers })).status).toBe(404)
    try {
      await vi.waitFor(ask, { timeout: 60_000, interval: 50 })
      expect((await fetch(url)).status).toBe(401)
    } finally {
      child.kill()
      await ended
    }
  }

  function note({ where }: Block, how: string): void {
    ran.set(where, [...(ran.get(where) ?? []), how])
  }

  beforeAll(async () => {
    const packing = blocks.find(isPacking)
    if (packing === undefined) throw new Error('No document says how the packages are installed.')
    const earlier = readers.map((other) => projectIn(other.home)).find((one) => fs.existsSync(one))
    if (earlier === undefined || IS_SOAK) {
      makeProject(reader)
      await runCommands(packing)
      installRest(reader)
    } else copyProject(reader, earlier)
    for (const { kind, programs } of kinds)
      for (const block of programs)
        fs.writeFileSync(
          programFile(home, kind, block),
          block.text.replace('4620', String(agentPort)),
        )
    if (whyNoClaude !== null || reader !== readers[0]) return
    const name = '@anthropic-ai/claude-agent-sdk'
    const place = path.join(modules, name)
    fs.mkdirSync(path.dirname(place), { recursive: true })
    fs.symlinkSync(harnessFile('first', name), place)
  }, 600_000)

  test('the packed packages share one version of zod', () => {
    const found = fs
      .readdirSync(modules, { recursive: true, encoding: 'utf8' })
      .filter((name) => /(^|node_modules\/)zod\/package\.json$/.test(name))
    expect(found).toHaveLength(1)
  })

  // The newest Node.js has the newest libraries.
  test.runIf(IS_SOAK || reader === readers.at(-1))(
    'programs of the documents have no type errors',
    () => {
      const files = kinds.flatMap(({ kind, programs }) =>
        programs.map((block) => programFile(home, kind, block)),
      )
      const ways = selectSample(RESOLUTIONS, 2)
      expect(typeProblems(projectIn(home), files, ways)).toEqual([])
    },
  )

  describe.each(kinds)('documents in a project of $kind', ({ kind, programs }) => {
    const sample = programs.filter((block) => isInSample(block, reader, kind))
    test.each(sample)('runs $where', async (block) => {
      const isNative = kind === 'esm' && node.major >= 24
      const tsx = path.join(modules, 'tsx/dist/cli.mjs')
      await runProgram(block, kind, [node.program, ...(isNative ? [] : [tsx])])
      note(block, `Node ${node.major} ${kind}`)
    })
  })

  // One kind of project on the newest Node.js, which has the newest libraries; others differ in what npm and Node.js do.
  const esm = kinds.find(({ kind }) => kind === 'esm')?.programs ?? []
  const forBun = reader === readers.at(-1) ? esm.filter(isForBun) : []
  test.skipIf(bun.missing !== null).each(forBun)('Bun runs $where', async (block) => {
    await runProgram(block, 'esm', [bun.program])
    note(block, 'Bun')
  })

  test.each(commands.filter((block) => !isPacking(block)))('runs $where', runCommands)

  test('commands that run until they are stopped end cleanly', async () => {
    expect(staying.size).toBeGreaterThan(0)
    for (const child of staying.values()) await end(child)
  })
})

const reasons = [
  ...(missing === null ? [] : [`Node 24: ${missing}`]),
  ...(bun.missing === null ? [] : [`Bun: ${bun.missing}`]),
  ...(whyNoClaude === null ? [] : [whyNoClaude]),
]
for (const reason of reasons)
  test.skipIf(process.env['CI'] === undefined)(`NOT RUN: ${reason}`, () => {
    expect.fail(reason)
  })

test('blocks of documents that do not run state a reason', () => {
  expect(blocks.length).toBeGreaterThan(20)
  for (const { notRun, where } of blocks)
    if (notRun !== null) expect(notRun.length, where).toBeGreaterThan(10)
})

function typed(command: string, where: string): ChildProcess {
  const home = path.join(folder, 'home')
  const bin = path.join(home, '.npm/bin')
  return spawn('/bin/sh', ['-c', command], {
    cwd: where,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      ...OWN_PORT,
      NODE_ENV: 'production',
      HOME: home,
      npm_config_prefix: path.join(home, '.npm'),
      // The servers that the documents name as examples are in the home of the first reader.
      PATH: [
        bin,
        path.join(readers[0]?.home ?? '', 'bin'),
        path.dirname(process.execPath),
        '/usr/local/bin:/usr/bin:/bin',
      ].join(':'),
    },
  })
}

async function servePackages() {
  const server = http.createServer(async (request, response) => {
    const file = path.basename(request.url ?? '')
    const answer = await getPackage(new Request(`http://127.0.0.1${request.url}`), {
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
  'the commands shown in the console install the CLI, start the daemon and guard a project of each coding agent (needs curl)',
  async () => {
    const shipped = await commandPackage()
    if (shipped === null) throw new Error('The product was built without its command.')
    const project = path.join(folder, 'home/shop')
    fs.mkdirSync(project, { recursive: true })
    const shown = (name: ConnectAgentName, id: string, serverUrl = plane.url) => {
      const steps = connectCommands({
        serverUrl,
        commandPackage: shipped,
        apiKey: plane.apiKey,
        prompt: 'demo/release-notes',
        agent: findConnectAgent(name),
      })
      return steps.find((step) => step.id === id)?.command ?? ''
    }
    const installed = await outcome(typed(shown('claude-code', 'install', packages.url), project))
    expect(installed.code, installed.out).toBe(0)
    const started = typed(
      shown('claude-code', 'daemon').replace('signalbox daemon', 'exec signalbox daemon'),
      project,
    )
    const hooked = CONNECT_AGENTS.filter(({ way }) => way === 'hooks').map(({ value }) => value)
    expect(hooked).toEqual(expect.arrayContaining(shipped.harnesses.map(({ name }) => name)))
    try {
      await said(started, /signalbox daemon: demo\/release-notes on /)
      for (const name of hooked) {
        const own = path.join(project, name)
        fs.mkdirSync(own)
        const script = `${shown(name, 'project')} &&\n${shown(name, 'check')}`
        const { out } = await outcome(typed(script, own))
        expect(out, name).toContain('daemon: answers')
        expect(out, name).toContain('live: the canary was refused')
      }
      const { code, out } = await outcome(typed(shown('http', 'code'), project))
      expect(code, out).toBe(0)
      // Of the call and of the stop.
      expect(out.match(/"decision":/g), out).toHaveLength(2)
      expect(fs.existsSync(path.join(project, 'claude-code/.claude/settings.local.json'))).toBe(
        true,
      )
    } finally {
      started.kill()
    }
    const proxies = { mcp: 'specs/adapters/mcp.md', acp: 'specs/adapters/acp.md' } as const
    for (const [name, file] of [
      ['mcp', proxies.mcp],
      ['acp', proxies.acp],
    ] as const) {
      const script = `${shown(name, 'key')}\n${shown(name, 'code')}`
      const hello = JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: HELLO[file],
      })
      const { code, out } = await outcome(typed(script, project), hello)
      expect(code, `${script}\n${out}`).toBe(0)
      expect(JSON.parse(out), script).toHaveProperty('result')
    }
  },
  300_000,
)
