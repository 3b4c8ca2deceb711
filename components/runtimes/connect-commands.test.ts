import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { CONNECT_AGENTS, findConnectAgent } from './connect-agents.ts'
import {
  type ConnectChoice,
  connectCommands,
  PLACEHOLDER,
  plainTextWarning,
} from './connect-commands.ts'

const PACKAGE = Buffer.from('a package')
const CHOICE: ConnectChoice = {
  serverUrl: 'https://host.example/guard',
  commandPackage: {
    path: '/packages/signalbox-1.2.3.tgz',
    sha256: createHash('sha256').update(PACKAGE).digest('hex'),
    version: '1.2.3',
    pythonClient: { path: '/packages/signalbox-1.2.3-py3-none-any.whl', sha256: 'ab12' },
    programs: { langchain: "prompt: 'demo/release-notes', url: 'http://127.0.0.1:3000'\n" },
  },
  apiKey: 'sbx_1a2b3c4d_secret',
  prompt: 'team/coder',
  agent: findConnectAgent('codex'),
}

const findCommand = (id: string, choice: Partial<ConnectChoice> = {}): string =>
  connectCommands({ ...CHOICE, ...choice }).find((step) => step.id === id)?.command ?? ''

/** Runs the install command where `curl` downloads `served` and `npm` only records its arguments. */
function install(served: Buffer, tools: readonly string[]) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-connect-'))
  onTestFinished(() => fs.rmSync(folder, { recursive: true }))
  const bin = path.join(folder, 'bin')
  fs.mkdirSync(bin)
  fs.writeFileSync(path.join(folder, 'served'), served)
  const program = (name: string, text: string) =>
    fs.writeFileSync(path.join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  program('curl', `echo "$4" > asked; ${find('cp')} served "$3"`)
  program('npm', 'echo "$@" > installed')
  for (const tool of tools) fs.symlinkSync(find(tool), path.join(bin, tool))
  const { status } = spawnSync(
    '/usr/bin/env',
    ['-i', `PATH=${bin}`, '/bin/sh', '-c', findCommand('install')],
    { cwd: folder },
  )
  const read = (name: string): string | null =>
    fs.existsSync(path.join(folder, name))
      ? fs.readFileSync(path.join(folder, name), 'utf8').trim()
      : null
  return { status, asked: read('asked'), installed: read('installed') }
}

function find(tool: string): string {
  return spawnSync('/bin/sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).stdout.trim()
}

const CHECKER = ['shasum', 'sha256sum'].find((tool) => find(tool) !== '') ?? ''

describe('the install command', () => {
  test('installs a file with the expected SHA-256', () => {
    expect(install(PACKAGE, [CHECKER])).toEqual({
      status: 0,
      asked: 'https://host.example/guard/packages/signalbox-1.2.3.tgz',
      installed: 'install --global ./signalbox-1.2.3.tgz',
    })
  })

  test('installs nothing when the file was changed', () => {
    const { status, installed } = install(Buffer.from('another package'), [CHECKER])
    expect(status).not.toBe(0)
    expect(installed).toBeNull()
  })

  test('installs nothing on a machine without a checksum program', () => {
    const { status, installed } = install(PACKAGE, [])
    expect(status).not.toBe(0)
    expect(installed).toBeNull()
  })
})

test('the daemon command has key, address and prompt, or placeholders that a shell takes literally', () => {
  expect(findCommand('daemon')).toBe(
    'export SIGNALBOX_API_KEY=sbx_1a2b3c4d_secret\nsignalbox daemon --url https://host.example/guard --prompt team/coder',
  )
  expect(findCommand('daemon', { apiKey: null, prompt: null })).toBe(
    `export SIGNALBOX_API_KEY='${PLACEHOLDER.apiKey}'\nsignalbox daemon --url https://host.example/guard --prompt '${PLACEHOLDER.prompt}'`,
  )
})

test('a coding agent gets the hooks of the selected harness, and then a check', () => {
  const steps = connectCommands(CHOICE)
  expect(steps.map(({ id }) => id)).toEqual(['install', 'daemon', 'project', 'check'])
  expect(findCommand('project')).toBe('signalbox init codex --yes')
  expect(findCommand('check')).toBe('signalbox doctor')
})

test('a program of the documentation names this server and the chosen prompt', () => {
  const agent = findConnectAgent('langchain')
  expect(findCommand('library', { agent })).toContain(
    'npm install @signalbox/runtime@1.2.3 @signalbox/adapters@1.2.3 langchain @langchain/openai zod',
  )
  expect(findCommand('code', { agent })).toBe(
    "prompt: 'team/coder', url: 'https://host.example/guard'",
  )
})

test('the session over HTTP names the chosen prompt, expects no decision, and needs no program of GNU', () => {
  const code = findCommand('code', { agent: findConnectAgent('http'), prompt: 'shop/agent' })
  expect(code).toContain('"prompt": "shop/agent"')
  expect(code).not.toMatch(/grep '|%N|--json/)
  // Without these, a content rule denies every call.
  expect(code).toContain('"replaces_arguments": true, "replaces_results": true')
})

test('a proxy gets the key from its environment and the rules from this server', () => {
  const agent = findConnectAgent('mcp')
  expect(findCommand('code', { agent })).toBe(
    'signalbox mcp-proxy --url https://host.example/guard --prompt team/coder -- my-server',
  )
})

test.each(CONNECT_AGENTS)('the tab of $label has commands with the prompt', (agent) => {
  const programs = Object.fromEntries(CONNECT_AGENTS.map(({ value }) => [value, 'team/coder']))
  const commandPackage = { ...CHOICE.commandPackage, programs }
  const steps = connectCommands({ ...CHOICE, commandPackage, agent })
  expect(steps.length).toBeGreaterThan(2)
  expect(steps.some(({ command }) => command.includes('team/coder'))).toBe(true)
  expect(steps.filter(({ command }) => command === '')).toEqual([])
})

test('an agent in Python gets the daemon and a client whose digest pip compares', () => {
  const steps = connectCommands({ ...CHOICE, agent: findConnectAgent('python') })
  expect(steps.map(({ id }) => id)).toEqual(['install', 'daemon', 'client', 'code'])
  expect(findCommand('client', { agent: findConnectAgent('python') })).toBe(
    "python3 -m venv .venv &&\n. .venv/bin/activate &&\npython3 -m pip install 'https://host.example/guard/packages/signalbox-1.2.3-py3-none-any.whl#sha256=ab12'",
  )
  expect(findCommand('code', { agent: findConnectAgent('python') })).toContain(
    'signalbox.session("team/coder"',
  )
})

test('an agent in TypeScript gets the library from this server, and no daemon', () => {
  const steps = connectCommands({ ...CHOICE, agent: findConnectAgent('typescript') })
  expect(steps.map(({ id }) => id)).toEqual(['library', 'key', 'code'])
  expect(findCommand('library', { agent: findConnectAgent('typescript') })).toBe(
    'npm config set --location=project @signalbox:registry=https://host.example/guard/packages/ &&\nnpm install @signalbox/runtime@1.2.3',
  )
})

test('the connect page warns about plain HTTP except on the same machine', () => {
  for (const url of ['https://host.example', 'http://127.0.0.1:3000', 'http://localhost:3000'])
    expect(plainTextWarning(url)).toBeNull()
  for (const url of ['http://host.example', 'http://192.168.0.7:3000', 'http://127.evil.example'])
    expect(plainTextWarning(url)).toContain('plain HTTP')
  expect(plainTextWarning('http://[::1]:3000')).toBeNull()
})
