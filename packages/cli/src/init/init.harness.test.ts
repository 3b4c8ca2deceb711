import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { readCodexHooks, trustCodexHooks } from '@signalbox/adapters/codex'
import type { SessionEvent } from '@signalbox/core'
import {
  claudeProgram,
  codexEnvironment,
  codexProgram,
  type LabFolders,
  launchClaude,
  makeLabFolders,
  prepareCodex,
  runHarness,
  startAnthropicServer,
  startResponsesServer,
  whyNotInstalled,
} from '@signalbox/testkit'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { daemonPaths } from '../daemon/daemon-paths.ts'
import { run } from '../run.ts'
import { shimCall } from '../shim/write-shim.ts'
import { builtCli, type Started, startCli } from '../test/cli-process.ts'
import { makeSurroundings, recordIo } from '../test/command-parts.ts'
import { RULES } from '../test/daemon-rules.ts'

let lab: LabFolders
let cli: string
let env: Record<string, string>

beforeEach(async () => {
  lab = makeLabFolders()
  const bin = path.join(lab.home, 'bin')
  fs.mkdirSync(bin)
  cli = await builtCli(bin)
  env = { PATH: `${bin}:/usr/bin:/bin`, CLAUDE_CONFIG_DIR: path.join(lab.home, '.claude') }
  fs.writeFileSync(path.join(lab.home, 'rules.json'), JSON.stringify(RULES))
})

afterEach(() => lab.remove())

const around = () => makeSurroundings({ env, cwd: lab.workspace, home: lab.home, entry: cli })
const paths = () => daemonPaths(null, around())
const written = (name: string) => fs.existsSync(path.join(lab.workspace, name))

async function signalbox(...words: readonly string[]) {
  const { io, out } = recordIo()
  return { code: await run(words, { ...io, err: io.out }, around()), out: out.join('\n') }
}

async function examined(harness: string) {
  const { out } = await signalbox('doctor', '--json', harness)
  return JSON.parse(out).harnesses[0]
}

async function startDaemon(port: string): Promise<Started & { readonly port: string }> {
  const rules = path.join(lab.home, 'rules.json')
  const events = path.join(lab.home, 'events.jsonl')
  const words = ['daemon', '--config', rules, '--events', events, '--port', port]
  const started = startCli(cli, words, { HOME: lab.home })
  onTestFinished(() => void started.process.kill('SIGKILL'))
  await vi.waitFor(() => expect(started.err()).toMatch(/127\.0\.0\.1:\d+/), { timeout: 30_000 })
  return { ...started, port: /127\.0\.0\.1:(\d+)/.exec(started.err())?.[1] ?? '' }
}

function events(): readonly SessionEvent[] {
  const text = fs.readFileSync(path.join(lab.home, 'events.jsonl'), 'utf8')
  const seen = new Map(
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => [line, JSON.parse(line)]),
  )
  return [...seen.values()]
}

const write = { name: 'Write', input: { file_path: 'a.txt', content: 'made' } }
const bash = { name: 'Bash', input: { command: 'touch ran.txt' } }

describe.skipIf(whyNotInstalled('first') !== null)('Claude Code set up by signalbox init', () => {
  beforeEach(() => fs.symlinkSync(claudeProgram(), path.join(lab.home, 'bin/claude')))

  test('continues its session when the daemon is killed and restarted during a run', async () => {
    let daemon = await startDaemon('0')
    const { port } = daemon
    await signalbox('init', 'claude-code', '--yes', '--http', '--port', port)
    env['SIGNALBOX_DAEMON_TOKEN'] = fs.readFileSync(paths().token, 'utf8').trim()
    expect(await examined('claude-code')).toMatchObject({ version: '2.1.329', findings: [] })

    const model = await startAnthropicServer(async ({ index }) => {
      if (index === 2) {
        daemon.process.kill('SIGKILL')
        await once(daemon.process, 'exit')
        daemon = await startDaemon(port)
      }
      return [{ calls: [write] }, { calls: [bash] }, { calls: [write] }][index] ?? { say: 'Done.' }
    })
    onTestFinished(() => model.close())
    const token = { SIGNALBOX_DAEMON_TOKEN: env['SIGNALBOX_DAEMON_TOKEN'] }
    await launchClaude({ ...lab, prompt: 'Work.', modelUrl: model.url, env: token })
    expect(model.requests[1]).toContain("'write_file' requires: shell")
    expect(written('a.txt')).toBe(true)
    const log = events()
    expect(new Set(log.map(({ session }) => session)).size).toBe(1)
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1))
    expect(log[0]).toMatchObject({ data: { harness: { name: 'claude-code', version: '2.1.329' } } })
    expect(log.at(-1)).toMatchObject({ type: 'session.ended' })
  })

  test('runs no call without a daemon, and shows the command that starts it', async () => {
    await signalbox('init', 'claude-code', '--yes', '--scope', 'user')
    const model = await startAnthropicServer([{ calls: [bash] }, { say: 'Then not.' }])
    onTestFinished(() => model.close())
    const exit = await launchClaude({ ...lab, prompt: 'Work.', modelUrl: model.url })
    // The user sees it when the prompt is refused, else the model when its call is refused.
    const heard = [exit.stdout, ...model.requests].join('\n')
    expect(heard).toContain('Start it: signalbox daemon --url')
    expect(written('ran.txt')).toBe(false)
    const { code } = await signalbox('doctor', 'claude-code')
    expect(code).toBe(1)
  })
})

describe.skipIf(whyNotInstalled('first') !== null)('Codex set up by signalbox init', () => {
  const patch = {
    name: 'apply_patch',
    input: '*** Begin Patch\n*** Add File: a.txt\n+made\n*** End Patch',
  }
  const shell = { name: 'exec_command', input: { cmd: 'echo ran' } }

  test('has untrusted hooks after init, which doctor reports, and is governed once they are trusted', async () => {
    fs.symlinkSync(codexProgram(), path.join(lab.home, 'bin/codex'))
    const codexHome = path.join(lab.home, '.codex')
    env = { ...env, ...codexEnvironment(lab.home) }
    await startDaemon('0')
    const model = await startResponsesServer([
      { calls: [patch] },
      { calls: [shell] },
      { calls: [patch] },
      { say: 'Done.' },
    ])
    onTestFinished(() => model.close())
    await prepareCodex({ ...lab, modelUrl: model.url })
    await signalbox('init', 'codex', '--yes', '--scope', 'user')
    expect((await examined('codex')).findings).toMatchObject([{ code: 'untrusted' }])
    const place = {
      codexHome,
      cwd: lab.workspace,
      env: { NODE_ENV: 'production', ...env } as const,
    }
    await trustCodexHooks(place, shimCall(paths().shim, 'codex'))
    expect((await readCodexHooks(place, shimCall(paths().shim, 'codex'))).hooks).not.toEqual([])
    expect((await examined('codex')).findings).toEqual([])

    const { PATH: _, ...own } = env
    await runHarness({
      program: codexProgram(),
      args: ['exec', '--json', '--skip-git-repo-check', '-'],
      cwd: lab.workspace,
      env: own,
      stdin: 'Work.',
    })
    expect(model.requests[1]).toContain("'write_file' requires: shell")
    expect(written('a.txt')).toBe(true)
    expect(new Set(events().map(({ session }) => session)).size).toBe(1)
  })
})
