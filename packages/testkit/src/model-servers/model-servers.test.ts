import type { JsonObject } from '@signalbox/core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startAnthropicServer } from './anthropic-server.ts'
import { startChatServer } from './chat-server.ts'
import { startGeminiServer } from './gemini-server.ts'
import type { ModelServer } from './model-server.ts'
import { startResponsesServer } from './responses-server.ts'
import { AFTER_SCRIPT, type ModelScript } from './script.ts'

interface Provider {
  readonly name: string
  start(script: ModelScript): Promise<ModelServer>
  readonly path: string
  readonly streamPath: string
  ask(text: string): JsonObject
}

const PROVIDERS: readonly Provider[] = [
  {
    name: 'Anthropic Messages',
    start: startAnthropicServer,
    path: '/v1/messages?beta=true',
    streamPath: '/v1/messages?beta=true',
    ask: (text) => ({ system: 'Be brief.', messages: [{ role: 'user', content: text }] }),
  },
  {
    name: 'OpenAI Responses',
    start: startResponsesServer,
    path: '/responses',
    streamPath: '/responses',
    ask: (text) => ({ instructions: 'Be brief.', input: [{ role: 'user', content: text }] }),
  },
  {
    name: 'OpenAI chat completions',
    start: startChatServer,
    path: '/chat/completions',
    streamPath: '/chat/completions',
    ask: (text) => ({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: text },
      ],
    }),
  },
  {
    name: 'Gemini',
    start: startGeminiServer,
    path: '/v1beta/models/gemini-2.5-pro:generateContent',
    streamPath: '/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse',
    ask: (text) => ({
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      contents: [{ role: 'user', parts: [{ text }] }],
    }),
  },
]

const TOOLS = [{ name: 'look' }]

async function serve(provider: Provider, script: ModelScript) {
  const server = await provider.start(script)
  onTestFinished(() => server.close())
  const post = (path: string, body: object) =>
    fetch(server.url + path, { method: 'POST', body: JSON.stringify(body) })
  const ask = async (text: string, extra: object = { tools: TOOLS }) => {
    const response = await post(provider.path, { ...provider.ask(text), ...extra })
    return { status: response.status, text: await response.text() }
  }
  const stream = async (text: string) => {
    const body = { ...provider.ask(text), tools: TOOLS, stream: true }
    const response = await post(provider.streamPath, body)
    return { type: response.headers.get('content-type'), text: await response.text() }
  }
  return { server, ask, stream, post }
}

describe.each(PROVIDERS)('a scripted $name server', (provider) => {
  test('plays the turns of the script in order, then reports the end of the script', async () => {
    const { ask } = await serve(provider, [{ say: 'First.' }, { say: 'Second.' }])

    expect((await ask('a')).text).toContain('First.')
    expect((await ask('b')).text).toContain('Second.')
    expect((await ask('c')).text).toContain(AFTER_SCRIPT)
  })

  test('makes the calls of a turn, streamed or not', async () => {
    const turn = {
      say: 'Let me look.',
      calls: [{ id: 'call_a', name: 'look', input: { where: 'shelf' } }],
    }
    const { ask, stream } = await serve(provider, [turn, turn])

    const whole = await ask('a')
    const streamed = await stream('b')

    expect(streamed.type).toBe('text/event-stream')
    for (const { text } of [whole, streamed]) {
      for (const part of ['Let me look.', 'call_a', 'look', 'where', 'shelf']) {
        expect(text).toContain(part)
      }
    }
  })

  test('counts the tokens of the script', async () => {
    const tokens = { input: 7_001, output: 502 }
    const { ask, stream } = await serve(provider, () => ({ say: 'Yes.', tokens }))

    for (const { text } of [await ask('a'), await stream('b')]) {
      expect(text).toContain('7001')
      expect(text).toContain('502')
    }
  })

  test("keeps the model's input without the parts that the model does not read", async () => {
    const { server, ask } = await serve(provider, [])

    await ask('What is on the shelf?')

    expect(server.requests).toEqual(['Be brief.\nWhat is on the shelf?'])
    expect(server.bodies).toEqual([{ ...provider.ask('What is on the shelf?'), tools: TOOLS }])
  })

  test('calls a function of the script with the input, and plays its answer', async () => {
    const { ask } = await serve(provider, ({ index, text, body }) => ({
      say: `${index}: ${text.includes('shelf')} ${JSON.stringify(body['tools'])}`,
    }))

    expect((await ask('the door')).text).toContain('0: false')
    expect((await ask('the shelf')).text).toContain('1: true')
  })

  test('answers requests without tools without using up a turn', async () => {
    const { server, ask } = await serve(provider, [{ say: 'First.' }])

    expect((await ask('Give this a title.', {})).text).not.toContain('First.')
    expect(server.requests).toEqual([])
    expect((await ask('a')).text).toContain('First.')
  })

  test('fails with the status in the script', async () => {
    const { ask } = await serve(provider, [{ status: 529 }, { say: 'Back.' }])

    expect((await ask('a')).status).toBe(529)
    expect((await ask('a')).text).toContain('Back.')
  })

  test('answers unknown requests with 404 and a message', async () => {
    const { server, post } = await serve(provider, [])

    const response = await post('/telemetry', {})

    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ error: { type: 'not_found_error' } })
    expect(server.unknown.join()).toMatch(/^POST .*\/telemetry$/)
  })

  test('accepts no request after it is closed', async () => {
    const { server, ask } = await serve(provider, [])

    await server.close()

    await expect(ask('a')).rejects.toThrow()
  })
})

test('a scripted OpenAI Responses server sends a string input as a free-form tool call', async () => {
  const provider = PROVIDERS[1]!
  const { ask } = await serve(provider, [{ calls: [{ name: 'apply_patch', input: '*** Begin' }] }])

  expect(JSON.parse((await ask('a')).text).output).toMatchObject([
    { type: 'custom_tool_call', call_id: 'call_1', name: 'apply_patch', input: '*** Begin' },
  ])
})
