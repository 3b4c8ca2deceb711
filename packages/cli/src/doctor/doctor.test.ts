import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { createGuardrails } from '@signalbox/runtime'
import { FakeControlPlane } from '@signalbox/testkit'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Daemon, startDaemon } from '../daemon/daemon.ts'
import { daemonPaths } from '../daemon/daemon-paths.ts'
import { run } from '../run.ts'
import { makeSurroundings, recordIo } from '../test/command-parts.ts'
import { RULES } from '../test/daemon-rules.ts'

let root: string
let daemon: Daemon | null
let env: Record<string, string>

beforeEach(() => {
  root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-doctor-')))
  for (const name of ['project', 'home', 'bin']) fs.mkdirSync(path.join(root, name))
  env = { PATH: `${path.join(root, 'bin')}:/usr/bin:/bin` }
  daemon = null
})

afterEach(async () => {
  await daemon?.close()
  fs.rmSync(root, { recursive: true, force: true })
})

const around = () =>
  makeSurroundings({
    env,
    cwd: path.join(root, 'project'),
    home: path.join(root, 'home'),
    entry: '/opt/signalbox/main.js',
  })

async function signalbox(...words: readonly string[]) {
  const { io, out } = recordIo()
  const code = await run(words, { ...io, err: io.out }, around())
  return { code, out: out.join('\n') }
}

async function examined(...words: readonly string[]) {
  const { code, out } = await signalbox('doctor', '--json', ...words)
  return { code, ...JSON.parse(out) }
}

async function startReal(guardrails = createGuardrails({ config: RULES })): Promise<Daemon> {
  const paths = daemonPaths(null, around())
  const parts = { paths, port: 0, guardrails, prompt: 'team/coder', idleMs: 3_600_000 }
  daemon = await startDaemon({ ...parts, report: () => undefined })
  return daemon
}

function install(program: string, version: string): void {
  const file = path.join(root, 'bin', program)
  fs.writeFileSync(file, `#!/bin/sh\necho '${version} (of a test)'\n`, { mode: 0o755 })
}

const settings = () => path.join(root, 'project/.claude/settings.local.json')
const listFindingCodes = (found: { readonly findings: readonly { readonly code: string }[] }) =>
  found.findings.map(({ code }) => code)

describe('signalbox doctor on working hooks', () => {
  test('exits with 0 when the daemon refuses the canary call through the configured command', async () => {
    install('claude', '2.1.329')
    await startReal()
    await signalbox('init', 'claude-code', '--yes')
    const { code, out } = await signalbox('doctor')
    expect(out).toContain('claude-code 2.1.329')
    expect(out).toContain(`hooks in ${settings()}`)
    expect(out).toContain('can: Calls are denied, and the agent reads why')
    expect(out).toContain('daemon: answers, and refused the canary (a call that must be refused)')
    expect(out).toContain('live: the canary was refused (a call that must be refused)')
    expect(out).not.toContain('console:')
    expect(code).toBe(0)
    expect(out).toContain('rules: The rules of team/coder in its file apply.')
    expect((await examined()).daemon).toMatchObject({ answers: true, console: null })
  })

  test('reports a missing or wrong token in the environment of HTTP hooks', async () => {
    install('claude', '2.1.329')
    const { port } = await startReal()
    await signalbox('init', 'claude-code', '--yes', '--http', '--port', String(port))
    const without = await examined()
    expect(without.code).toBe(1)
    expect(listFindingCodes(without.harnesses[0])).toEqual(['no_token'])
    env['SIGNALBOX_DAEMON_TOKEN'] = 'wrong'
    expect(listFindingCodes((await examined()).harnesses[0])).toEqual(['no_daemon'])
    const { token } = daemonPaths(null, around())
    env['SIGNALBOX_DAEMON_TOKEN'] = fs.readFileSync(token, 'utf8').trim()
    expect((await examined()).code).toBe(0)
  })

  test('reports that the version of the harness allows calls when a hook fails', async () => {
    install('claude', '2.1.197')
    const { port } = await startReal()
    await signalbox('init', 'claude-code', '--yes', '--http', '--port', String(port))
    const { harnesses } = await examined()
    expect(harnesses[0].cannot).toContain('A call goes ahead when the guard crashes')
  })
})

describe('signalbox doctor', () => {
  test('reports a harness without hooks', async () => {
    install('gemini', '0.61.0')
    await startReal()
    const { code, harnesses } = await examined()
    expect(code).toBe(1)
    expect(harnesses).toMatchObject([
      { harness: 'gemini-cli', version: '0.61.0', findings: [{ code: 'not_set_up' }] },
    ])
  })

  test('reports a daemon without rules, with the cause', async () => {
    install('claude', '2.1.329')
    const server = http.createServer((_, response) => {
      response.writeHead(403, { 'content-type': 'application/problem+json' })
      response.end(JSON.stringify({ detail: 'This API key does not have the scope "read".' }))
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const url = `http://127.0.0.1:${Object(server.address()).port}`
    const dataDir = path.join(root, 'data')
    const options = { url, apiKey: 'sbx_of_a_test', prompt: 'team/coder', dataDir }
    const diagnostics: string[] = []
    const onDiagnostic = ({ message }: { readonly message: string }) =>
      void diagnostics.push(message)
    await startReal(createGuardrails({ ...options, onDiagnostic }))
    await signalbox('init', 'claude-code', '--yes')
    await vi.waitFor(async () => {
      const { code, daemon: found } = await examined()
      expect(found).toMatchObject({ answers: true, code: 'no_rules' })
      expect(found.message).toContain('does not have the scope "read"')
      expect(found.console).toEqual({
        isConnected: false,
        sentence: expect.stringMatching(
          /^not connected since the daemon started \(403 .*"read"\); events that cannot be sent wait on this machine$/,
        ),
      })
      expect(code).toBe(1)
    }, 5000)
    const refused = diagnostics.filter((line) => line.includes('refuses the API key'))
    expect(refused).toEqual([
      expect.stringMatching(/"read"[^.]*\. Rules stay as they are; events wait\.$/),
    ])
    server.close()
    server.closeAllConnections()
  })

  test('reports that the console is not connected, and exits with 0 because the rules stay in force', async () => {
    install('claude', '2.1.329')
    const plane = new FakeControlPlane()
    await plane.start()
    plane.publish(RULES)
    const dataDir = path.join(root, 'data')
    const options = { url: plane.url, apiKey: plane.apiKey, prompt: 'team/coder', dataDir }
    const guardrails = createGuardrails(options)
    await startReal(guardrails)
    await guardrails.ready()
    await signalbox('init', 'claude-code', '--yes')
    const connected = await signalbox('doctor')
    expect(connected.out).toMatch(/^console: answered at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/m)
    await plane.stop()
    await vi.waitFor(async () => {
      const { code, daemon: found } = await examined()
      expect(found).toMatchObject({ answers: true, console: { isConnected: false } })
      expect(code).toBe(0)
    }, 5000)
    const cut = await signalbox('doctor')
    expect(cut.out).toMatch(
      /^console: not connected since \d.+ UTC \(.+\); the rules in force stay, and events that cannot be sent wait on this machine$/m,
    )
    expect(cut.code).toBe(0)
  })

  test('reports a missing daemon, with the command that starts it', async () => {
    install('claude', '2.1.329')
    await signalbox('init', 'claude-code', '--yes')
    const { code, daemon: found, harnesses } = await examined()
    expect(code).toBe(1)
    expect(found.message).toContain('Start it: signalbox daemon --url')
    expect(listFindingCodes(harnesses[0])).toEqual(['no_daemon'])
    expect(harnesses[0].findings[0].message).toContain('Start it: signalbox daemon --url')
  })

  test('reports untrusted hooks when Codex was never started', async () => {
    install('codex', 'codex-cli 0.160.0')
    await startReal()
    await signalbox('init', 'codex', '--yes')
    const { harnesses } = await examined('codex')
    expect(harnesses[0].findings).toMatchObject([
      { code: 'untrusted', message: expect.stringContaining('was never started') },
    ])
  })

  test('reports a hook command that allows calls when it fails', async () => {
    install('claude', '2.1.329')
    await signalbox('init', 'claude-code', '--yes')
    fs.writeFileSync(
      settings(),
      fs.readFileSync(settings(), 'utf8').replaceAll('|| exit 2', '|| true'),
    )
    expect(listFindingCodes((await examined()).harnesses[0])).toEqual(['open'])
  })

  test('reports that an event has no hook and that hooks are disabled', async () => {
    install('claude', '2.1.329')
    await startReal()
    await signalbox('init', 'claude-code', '--yes')
    const { hooks } = JSON.parse(fs.readFileSync(settings(), 'utf8'))
    const { Stop: _, ...rest } = hooks
    fs.writeFileSync(settings(), JSON.stringify({ hooks: rest, disableAllHooks: true }))
    const { harnesses } = await examined('claude-code')
    expect(harnesses[0].findings).toMatchObject([
      { code: 'incomplete', message: expect.stringContaining('has no hook for Stop') },
      { code: 'disabled' },
    ])
  })

  test.each([
    ['copilot', 'copilot'],
    ['gemini-cli', 'gemini'],
  ])(
    'has no finding for %s after signalbox init, although only the shim sends its version',
    async (name, program) => {
      install(program, '1.0.102')
      await startReal()
      await signalbox('init', name, '--yes')
      const { code, harnesses } = await examined()
      expect(harnesses).toMatchObject([{ harness: name, findings: [] }])
      expect(code).toBe(0)
    },
  )
})

test('signalbox doctor exits with 2 on a machine without a harness', async () => {
  await startReal()
  expect((await signalbox('doctor')).code).toBe(2)
})
