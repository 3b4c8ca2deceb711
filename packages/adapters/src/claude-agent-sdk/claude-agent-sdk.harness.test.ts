import { execFile } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import {
  type ConfigDocument,
  isJsonObject,
  type JsonObject,
  type SessionEvent,
} from '@signalbox/core'
import { createGuardrails } from '@signalbox/runtime'
import {
  harnessFile,
  type ModelRequest,
  type ModelScript,
  type ModelServer,
  makeLabFolders,
  startAnthropicServer,
  whyNotInstalled,
} from '@signalbox/testkit'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ANSWER_SCHEMA } from '../test/claude-script.ts'
import { guardQuery } from './guard-query.ts'
import { collectMessages, labQuery } from './test/lab-query.ts'

const NEVER_DONE: ConfigDocument = {
  schema_version: 1,
  ns: 'claude',
  key: 'sdk',
  task_completion_checker: { id: 'results', type: 'files_exist', files: ['never.txt'] },
  limits: { max_stop_blocks: 1 },
}
const SCHEMA = { outputFormat: { type: 'json_schema', schema: ANSWER_SCHEMA } }
const check = { calls: [{ name: 'Bash', input: { command: 'true' } }] }

interface Ran {
  readonly messages: readonly JsonObject[]
  readonly model: ModelServer
  readonly data: (type: SessionEvent['type']) => readonly unknown[]
}

async function run(script: ModelScript, options: JsonObject = {}): Promise<Ran> {
  const folders = makeLabFolders()
  onTestFinished(() => folders.remove())
  const model = await startAnthropicServer(script)
  onTestFinished(() => model.close())
  const events: SessionEvent[] = []
  const guardrails = createGuardrails({
    config: NEVER_DONE,
    onEvent: (line) => void events.push(JSON.parse(line)),
  })
  const guard = guardQuery(guardrails)
  const query = await labQuery(folders, model, { hooks: guard.hooks, ...options })
  return {
    messages: await collectMessages(guard.follow(query)),
    model,
    data: (type) => events.filter((event) => event.type === type).map(({ data }) => data),
  }
}

describe.skipIf(whyNotInstalled('first') !== null)('the Claude Agent SDK', () => {
  test('ends the session as failed when a query reaches its turn limit', async () => {
    const { data } = await run(() => check, { maxTurns: 2 })
    expect(data('stop.attempted')).toEqual([])
    expect(data('session.ended')).toEqual([
      { reason: 'failed', error: expect.stringContaining('error_max_turns') },
    ])
  })

  test('has reported all tokens by the end of the session', async () => {
    const tokens = { input: 1000, output: 70 }
    const { data, model } = await run(({ index }) =>
      index === 0 ? { ...check, tokens } : { say: 'Done.', tokens },
    )
    const used = data('usage.recorded').map((usage) => usage as Usage)
    // A later record of the same evaluation replaces the earlier one.
    const last = [...new Map(used.map((usage) => [usage.evaluation_id, usage])).values()]
    const turns = model.requests.length
    expect(turns).toBe(3)
    expect(last.reduce((sum, { input_tokens }) => sum + input_tokens, 0)).toBe(1000 * turns)
    expect(last.reduce((sum, { output_tokens }) => sum + output_tokens, 0)).toBe(70 * turns)
  })

  test('returns its last result after a background sub-agent, and then ends the session', async () => {
    const input = { description: 'd', prompt: 'SUBWORK', run_in_background: true }
    const script = ({ index, body }: ModelRequest) => {
      const [first] = Array.isArray(body['messages']) ? body['messages'] : []
      if (JSON.stringify(first).includes('SUBWORK')) return { say: 'Sub done.' }
      return index === 0 ? { calls: [{ name: 'Agent', input }] } : { say: `Main ${index}.` }
    }
    const { messages, data } = await run(script)
    const results = messages.filter(({ type }) => type === 'result')
    expect(results.length).toBeGreaterThan(1)
    expect(data('session.ended')).toEqual([
      { reason: 'completed', output: results.at(-1)?.['result'] },
    ])
  })

  test('reports nothing about an interrupted call, so its outcome is unknown', async () => {
    const folders = makeLabFolders()
    onTestFinished(() => folders.remove())
    const model = await startAnthropicServer(({ index }) =>
      index === 0 ? { calls: [{ name: 'Bash', input: { command: 'sleep 20' } }] } : { say: 'Ok.' },
    )
    onTestFinished(() => model.close())
    const events: SessionEvent[] = []
    const guardrails = createGuardrails({
      config: { ...NEVER_DONE, limits: { max_stop_blocks: 0 } },
      onEvent: (line) => void events.push(JSON.parse(line)),
    })
    const guard = guardQuery(guardrails)
    const [asked, answered] = [signal(), signal()]
    let interrupt = async (): Promise<unknown> => undefined
    const prompts = (async function* () {
      yield prompt('Sleep.')
      await asked.given
      await interrupt()
      yield prompt('Go on.')
      await answered.given
    })()
    const tell = async () => {
      asked.give()
      return {}
    }
    const hooks = {
      ...guard.hooks,
      PreToolUse: [...guard.hooks.PreToolUse, { hooks: [tell] }],
    }
    const query = await labQuery(folders, model, { prompt: prompts, hooks })
    interrupt = () => query.interrupt()
    for await (const message of guard.follow(query))
      if (isJsonObject(message) && message['subtype'] === 'success') answered.give()
    const ended = events.filter(({ type }) => type === 'tool.invoked').map(({ data }) => data)
    expect(ended).toMatchObject([{ tool: 'shell', outcome: 'unknown' }])
  })

  test('fails a run whose fifth structured output is refused, by a hook or by Claude', async () => {
    let denied = 0
    const deny = async (input: unknown) => {
      const given = isJsonObject(input) && isJsonObject(input['tool_input']) && input['tool_input']
      // Claude itself refuses an output that does not fit the schema.
      if (given === false || typeof given['answer'] !== 'string') return {}
      denied++
      return {
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'deny',
          permissionDecisionReason: 'No.',
        },
      }
    }
    const folders = makeLabFolders()
    onTestFinished(() => folders.remove())
    const model = await startAnthropicServer(({ index }) => ({
      calls: [{ name: 'StructuredOutput', input: { answer: index % 2 === 0 ? 'draft' : 7 } }],
    }))
    onTestFinished(() => model.close())
    const hooks = { PreToolUse: [{ hooks: [deny] }] }
    const messages = await collectMessages(await labQuery(folders, model, { ...SCHEMA, hooks }))
    expect(messages.at(-1)).toMatchObject({ subtype: 'error_max_structured_output_retries' })
    expect(model.requests).toHaveLength(5)
    expect(denied).toBe(3)
  })

  test('passes the type checks of the SDK with our hooks', async () => {
    const folders = makeLabFolders()
    onTestFinished(() => folders.remove())
    await compiled(
      folders.workspace,
      `import { query } from '@anthropic-ai/claude-agent-sdk'
import { createGuardrails } from '@signalbox/runtime'
import { guardQuery } from '@signalbox/adapters/claude-agent-sdk'
const guard = guardQuery(createGuardrails({ config: { schema_version: 1, ns: 'a', key: 'b' } }))
for await (const message of guard.follow(query({ prompt: 'x', options: { hooks: guard.hooks } })))
  if (message.type === 'result' && message.subtype === 'success') console.log(message.result)
const own = { ...guard.hooks, Stop: [...guard.hooks.Stop, { hooks: [async () => ({})] }] }
void query({ prompt: 'x', options: { hooks: own } })
`,
    )
  })
})

const prompt = (content: string) => ({
  type: 'user',
  message: { role: 'user', content },
  parent_tool_use_id: null,
})

function signal() {
  let give = (): void => undefined
  const given = new Promise<void>((resolve) => {
    give = resolve
  })
  return { given, give }
}

interface Usage {
  readonly evaluation_id: string
  readonly input_tokens: number
  readonly output_tokens: number
}

/** Rejects with the compiler's errors. */
async function compiled(folder: string, code: string): Promise<void> {
  const root = path.join(import.meta.dirname, '../../../..')
  const file = path.join(folder, 'agent.ts')
  fs.writeFileSync(file, code)
  fs.writeFileSync(
    path.join(folder, 'tsconfig.json'),
    JSON.stringify({
      extends: path.join(root, 'tsconfig.json'),
      compilerOptions: {
        noEmit: true,
        incremental: false,
        skipLibCheck: true,
        typeRoots: [path.join(root, 'node_modules/@types')],
        types: ['node'],
        plugins: [],
        paths: {
          '@anthropic-ai/claude-agent-sdk': [
            harnessFile('first', '@anthropic-ai/claude-agent-sdk/sdk.d.ts'),
          ],
          '@signalbox/core/expression': [path.join(root, 'packages/core/src/expression/index.ts')],
          '@signalbox/runtime/*': [path.join(root, 'packages/runtime/src/*/index.ts')],
          '@signalbox/adapters/*': [path.join(root, 'packages/adapters/src/*/index.ts')],
          '@signalbox/*': [path.join(root, 'packages/*/src/index.ts')],
        },
      },
      include: [file],
    }),
  )
  const tsc = path.join(root, 'node_modules/typescript-7/bin/tsc')
  await promisify(execFile)(process.execPath, [tsc, '-p', folder, '--singleThreaded']).catch(
    (error: unknown) => {
      throw new Error(String(Object(error).stdout), { cause: error })
    },
  )
}
