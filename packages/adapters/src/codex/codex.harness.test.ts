import fs from 'node:fs'
import path from 'node:path'
import type { ConfigDocument, EventOf, EventType, SessionEvent } from '@signalbox/core'
import {
  codexEnvironment,
  codexProgram,
  type HarnessExit,
  launchCodex,
  type ModelScript,
  makeLabFolders,
  prepareCodex,
  startResponsesServer,
} from '@signalbox/testkit'
import { describe, expect, onTestFinished, test } from 'vitest'
import { IS_SOAK } from '@/scripts/soak-sample.mjs'
import { type HookLab, startHookLab } from '../test/hook-lab.ts'
import type { CodexPlace } from './app-server.ts'
import { codex } from './codex.ts'
import { codexHooks } from './hooks-file.ts'
import { readCodexHooks, trustCodexHooks } from './trust.ts'

const CHECK_FIRST: ConfigDocument = {
  schema_version: 1,
  ns: 'codex',
  key: 'lab',
  policies: [
    {
      id: 'check-first',
      type: 'sequential_dependency',
      dependencies: { write_file: ['shell'], mcp__lab__ok: ['mcp__lab__bad'] },
    },
  ],
}

interface Ran {
  readonly exit: HarnessExit
  readonly lab: HookLab
  readonly told: string
  readonly wrote: (file: string) => boolean
}

interface Setting {
  readonly script: ModelScript
  readonly config?: ConfigDocument
  /** Hooks for the lab's command. Absent: the result of `codexHooks`. */
  readonly hooks?: (command: string) => ReturnType<typeof codexHooks>
  readonly tables?: string
  readonly args?: readonly string[]
}

async function run(setting: Setting): Promise<Ran> {
  const { script, config = CHECK_FIRST, hooks = codexHooks, ...rest } = setting
  const folders = makeLabFolders()
  onTestFinished(() => folders.remove())
  const model = await startResponsesServer(script)
  onTestFinished(() => model.close())
  const lab = await startHookLab(codex, { config })
  onTestFinished(() => lab.close())
  const exit = await launchCodex({
    ...folders,
    ...rest,
    prompt: 'Do it.',
    modelUrl: model.url,
    hooks: { hooks: hooks(lab.command) },
  })
  const told = model.requests.slice(1).join('\n')
  return { exit, lab, told, wrote: (file) => fs.existsSync(path.join(folders.workspace, file)) }
}

function events<Type extends EventType>(
  lab: HookLab,
  type: Type,
): readonly EventOf<Type>['data'][] {
  return lab.events.flatMap((event: SessionEvent) =>
    // The type of an event decides its shape.
    event.type === type ? [event.data as EventOf<Type>['data']] : [],
  )
}

const patch = (file: string) => `*** Begin Patch\n*** Add File: ${file}\n+x\n*** End Patch\n`
const exec = (cmd: string, more: object = {}) => ({
  name: 'exec_command',
  input: { cmd, ...more },
})
const REASON = "Tool 'write_file' requires: shell"

describe('a call denied in Codex', () => {
  test('writes nothing for apply_patch, and the model reads the reason', async () => {
    const { told, wrote } = await run({
      script: [{ calls: [{ name: 'apply_patch', input: patch('a.txt') }] }],
    })
    expect(told).toContain(REASON)
    expect(wrote('a.txt')).toBe(false)
  })

  test.runIf(IS_SOAK)(
    'writes nothing for a piped patch, which does not count as a command',
    async () => {
      const cmd = `apply_patch <<'EOF'\n${patch('a.txt')}EOF\n`
      const { told, wrote } = await run({ script: [{ calls: [exec(cmd)] }] })
      expect(told).toContain(REASON)
      expect(wrote('a.txt')).toBe(false)
    },
  )

  test.runIf(IS_SOAK)(
    'runs when the answer has one extra key, so our answers never have one',
    async () => {
      const answer = {
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'deny',
          permissionDecisionReason: 'No.',
        },
      }
      const hooks = (extra: object) => () => ({
        PreToolUse: [
          {
            hooks: [
              { type: 'command', command: `echo '${JSON.stringify({ ...answer, ...extra })}'` },
            ],
          },
        ],
      })
      const script = [{ calls: [{ name: 'apply_patch', input: patch('a.txt') }] }]
      expect((await run({ script, hooks: hooks({}) })).wrote('a.txt')).toBe(false)
      expect((await run({ script, hooks: hooks({ note: 'x' }) })).wrote('a.txt')).toBe(true)
    },
  )

  test('writes nothing when the hook command is missing, and the model reads the reason', async () => {
    const script = [{ calls: [{ name: 'apply_patch', input: patch('a.txt') }] }]
    const { PreToolUse = null } = codexHooks('/nowhere/shim codex')
    const { told, wrote } = await run({ script, hooks: () => ({ PreToolUse }) })
    expect(told).toContain('The guardrails could not be reached, so this is refused.')
    expect(wrote('a.txt')).toBe(false)
    const { exit } = await run({ script, hooks: () => codexHooks('/nowhere/shim codex') })
    // Without any hook command, not even the prompt is accepted.
    expect(exit.stdout).not.toContain('agent_message')
  })
})

describe('outcomes in Codex', () => {
  test('come from the session file for a piped patch and for a patch that does not apply', async () => {
    const cmd = `apply_patch <<'EOF'\n${patch('a.txt')}EOF\n`
    const bad = '*** Begin Patch\n*** Update File: none.txt\n@@\n-a\n+b\n*** End Patch\n'
    const { lab } = await run({
      script: [
        { calls: [exec('true')] },
        { calls: [exec(cmd)] },
        { calls: [{ name: 'apply_patch', input: bad }] },
      ],
    })
    expect(events(lab, 'tool.invoked').map(({ tool, outcome }) => [tool, outcome])).toEqual([
      ['shell', 'success'],
      ['shell', 'success'],
      ['write_file', 'success'],
      ['edit_file', 'failure'],
    ])
  })

  test('outcomes in Codex are failure for a failed MCP tool, although no hook reports it', async () => {
    const { lab, told } = await run({
      script: [
        { calls: [{ name: 'bad', namespace: 'mcp__lab', input: {} }] },
        { calls: [{ name: 'ok', namespace: 'mcp__lab', input: {} }] },
      ],
      tables: mcpServer(),
    })
    expect(events(lab, 'tool.invoked').map(({ tool, outcome }) => [tool, outcome])).toEqual([
      ['mcp__lab__bad', 'failure'],
      ['mcp__lab__ok', 'denied'],
    ])
    expect(told).toContain("Tool 'mcp__lab__ok' requires: mcp__lab__bad")
  })

  test('outcomes in Codex without a hook bring their feedback with the hook of the next call, which runs', async () => {
    const feedback = { id: 'hint', type: 'static' as const, feedback: 'Mind the failure.' }
    const { lab, told } = await run({
      config: {
        ...CHECK_FIRST,
        feedback_providers: [{ ...feedback, trigger: { every_n_calls: 2 } }],
      },
      script: [
        { calls: [exec('true')] },
        { calls: [{ name: 'bad', namespace: 'mcp__lab', input: {} }] },
        { calls: [exec('true')] },
      ],
      tables: mcpServer(),
    })
    expect(told).toContain('Mind the failure.')
    const outcomes = events(lab, 'tool.invoked').map(({ outcome }) => outcome)
    expect(outcomes).toEqual(['success', 'failure', 'success'])
    const [before] = lab.hooks.filter(({ answer }) => JSON.stringify(answer)?.includes('Mind'))
    expect(before?.payload).toMatchObject({ hook_event_name: 'PreToolUse' })
  })

  test('outcomes in Codex are separate for the commands of one step', async () => {
    const codes = [0, 1, 0, 2]
    const { lab } = await run({ script: [{ calls: codes.map((code) => exec(`exit ${code}`)) }] })
    const asked = events(lab, 'tool.requested')
    for (const { call_id, outcome } of events(lab, 'tool.invoked')) {
      const command = asked.find((call) => call.call_id === call_id)?.args['command']
      expect(outcome).toBe(command === 'exit 0' ? 'success' : 'failure')
    }
    expect(events(lab, 'tool.invoked')).toHaveLength(codes.length)
  })
})

describe('a model of Codex that writes code to call tools', () => {
  const args = ['-m', 'gpt-6-sol']
  const code = (input: string) => ({ name: 'exec', namespace: 'functions', input })

  test('a model of Codex that writes code to call tools has every call of the code evaluated', async () => {
    const text = JSON.stringify(patch('a.txt'))
    const { lab, told, wrote } = await run({
      args,
      script: [
        { calls: [code(`await tools.apply_patch(${text})`)] },
        {
          calls: [code(`await tools.exec_command({cmd:'true'}); await tools.apply_patch(${text})`)],
        },
      ],
    })
    expect(told).toContain(REASON)
    expect(events(lab, 'tool.invoked').map(({ tool, outcome }) => [tool, outcome])).toEqual([
      ['write_file', 'denied'],
      ['shell', 'success'],
      ['write_file', 'success'],
    ])
    expect(wrote('a.txt')).toBe(true)
  })

  test('a model of Codex that writes code to call tools has the calls of its sub-agents evaluated, with their id', async () => {
    const spawn = { message: 'Write it.', task_name: 'kid' }
    const collaborate = (name: string, input: object) => ({
      calls: [{ name, namespace: 'collaboration', input: { ...input } }],
    })
    const { lab, wrote } = await run({
      args,
      script: ({ text }) => {
        if (text.includes('Message Type: FINAL_ANSWER')) return { say: 'Done.' }
        const kid = /task name: \/root\/kid/i.test(text) && text.includes('Write it.')
        if (!text.includes('"task_name":"/root/kid"') && !kid)
          return collaborate('spawn_agent', spawn)
        if (!kid) return collaborate('wait_agent', {})
        return text.includes(REASON)
          ? { say: 'I could not.' }
          : { calls: [{ name: 'apply_patch', input: patch('a.txt') }] }
      },
    })
    expect(wrote('a.txt')).toBe(false)
    const asked = events(lab, 'tool.requested').find(({ tool }) => tool === 'write_file')
    expect(asked?.agent).toMatch(/^[0-9a-f-]{36}$/)
    expect(events(lab, 'tool.requested').map(({ tool }) => tool)).toContain('task')
  })
})

describe('text typed into a running command of Codex', () => {
  const script: ModelScript = ({ index, text }) => {
    if (index === 0) return { calls: [exec('bash', { tty: true, yield_time_ms: 300 })] }
    if (index > 1) return { say: 'Done.' }
    const session = Number(/session ID (\d+)/.exec(text)?.[1] ?? 0)
    const input = { session_id: session, chars: 'touch typed.txt\n' }
    return { calls: [{ name: 'write_stdin', input }] }
  }

  test('passes no hook, so the session records it and is not fully enforced', async () => {
    const { lab, wrote } = await run({ script })
    expect(wrote('typed.txt')).toBe(true)
    expect(events(lab, 'tool.invoked')).toContainEqual(
      expect.objectContaining({ tool: 'write_stdin', outcome: 'unknown' }),
    )
    const [started] = events(lab, 'session.started')
    expect(JSON.stringify(started?.capabilities?.ungoverned)).toContain('write_stdin')
  })

  test.runIf(IS_SOAK)(
    'text typed into a running command of Codex is impossible where Codex gives commands no terminal',
    async () => {
      const { wrote } = await run({ script, args: ['-c', 'features.unified_exec_tty=false'] })
      expect(wrote('typed.txt')).toBe(false)
    },
  )
})

test('a stop in Codex that cannot be evaluated is refused once, and the next one is allowed', async () => {
  const { Stop = null } = codexHooks('/nowhere/shim codex')
  const script = [{ say: 'One.' }, { say: 'Two.' }, { say: 'Three.' }]
  const { exit, told } = await run({ script, hooks: () => ({ Stop }) })
  expect(exit.exitCode).toBe(0)
  expect(told).toContain('The guardrails could not be reached, so this is refused.')
  expect(exit.stdout).toContain('Two.')
  expect(exit.stdout).not.toContain('Three.')
})

describe('trust of Codex hooks', () => {
  async function place(command: string): Promise<CodexPlace & { readonly home: string }> {
    const folders = makeLabFolders()
    onTestFinished(() => folders.remove())
    const other = { hooks: [{ type: 'command', command: 'true' }] }
    const ours = codexHooks(command)
    const hooks = { ...ours, Interrupt: [other] }
    await prepareCodex({
      ...folders,
      modelUrl: 'http://127.0.0.1:9',
      hooks: { hooks },
      trusted: false,
    })
    const env = codexEnvironment(folders.home)
    return {
      home: folders.home,
      codexHome: env['CODEX_HOME'] ?? '',
      cwd: folders.workspace,
      codex: codexProgram(),
      // Next.js declares NODE_ENV as required, but Codex gets none.
      env: { PATH: '/usr/bin:/bin', ...env } as unknown as NodeJS.ProcessEnv,
    }
  }

  test('trust of Codex hooks is missing at first, is given to our hooks only, and ends when the command changes', async () => {
    const where = await place('/bin/shim codex')
    const before = await readCodexHooks(where, '/bin/shim codex')
    expect(before.version).toBe('0.169.0')
    expect(before.hooks).toHaveLength(7)
    expect(before.hooks.every(({ trusted }) => trusted)).toBe(false)
    const after = await trustCodexHooks(where, '/bin/shim codex')
    expect(after.hooks.every(({ trusted }) => trusted)).toBe(true)
    const toml = fs.readFileSync(path.join(where.codexHome, 'config.toml'), 'utf8')
    expect(toml).not.toContain(':interrupt:')
    expect(await readCodexHooks(where, '/bin/other codex')).toMatchObject({ hooks: [] })
  })

  test.runIf(IS_SOAK)(
    'decides if a hook runs at all: an untrusted hook is silently skipped',
    async () => {
      const folders = makeLabFolders()
      onTestFinished(() => folders.remove())
      const calls = [{ name: 'apply_patch', input: patch('a.txt') }]
      const model = await startResponsesServer([{ calls }])
      onTestFinished(() => model.close())
      const hooks = { hooks: codexHooks('false') }
      const launch = { ...folders, prompt: 'Do it.', modelUrl: model.url, hooks }
      await launchCodex({ ...launch, trusted: false })
      expect(fs.existsSync(path.join(folders.workspace, 'a.txt'))).toBe(true)
    },
  )

  test('trust of Codex hooks cannot be read without the Codex program', async () => {
    const where = await place('/bin/shim codex')
    await expect(readCodexHooks({ ...where, codex: '/nowhere/codex' }, 'x')).rejects.toThrow(
      'ENOENT',
    )
  })
})

/** Two tools, one of which fails. The server answers JSON-RPC, one message per line, which is all that MCP over stdio needs. */
function mcpServer(): string {
  const source = `
    const tool = (name) => ({ name, inputSchema: { type: 'object', properties: {} } })
    const answer = ({ method, params }) => {
      if (method === 'initialize') return {
        protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'lab', version: '1' } }
      if (method === 'tools/list') return { tools: [tool('ok'), tool('bad')] }
      if (method === 'tools/call') return { isError: params.name === 'bad', content: [{ type: 'text', text: params.name }] }
      return {}
    }
    require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const message = JSON.parse(line)
      if (message.id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: answer(message) }))
    })`
  return `[mcp_servers.lab]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ["-e", ${JSON.stringify(source)}]\n`
}
