import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { claudeHooks } from '../test/claude-hooks.ts'
import { ShimLab } from '../test/shim-lab.ts'
import { askSocket } from './ask-socket.ts'
import { answerHead } from './shim-server.ts'

let lab: ShimLab

beforeEach(async () => {
  lab = new ShimLab('bash', '/nowhere/entry')
  await lab.startReal()
})
afterEach(() => lab.close())

interface Said {
  readonly token?: string
  readonly harness?: string
  readonly length?: string
  readonly body: string
}

function door() {
  const [, port = '', , token = '', proof = ''] = fs
    .readFileSync(lab.paths.shimAddress, 'utf8')
    .trim()
    .split(' ')
  return { port: Number(port), token, proof }
}

function question({ token = door().token, harness = 'claude-code', body, ...said }: Said): string {
  const length = said.length ?? String(Buffer.byteLength(body))
  return `${[token, harness, '', '', '', length].join('\t')}\t${body}`
}

async function asked(...pieces: readonly string[]): Promise<string> {
  const socket = net.connect(door().port, '127.0.0.1').setNoDelay()
  await once(socket, 'connect')
  for (const piece of pieces) await new Promise((resolve) => socket.write(piece, resolve))
  return text(socket)
}

const answer = (status: number, body: string) =>
  answerHead(door().proof, status, Buffer.byteLength(body)) + body
const write = (session: string) =>
  JSON.stringify(claudeHooks(session, lab.folder).pre('Write', 'a'))

describe("the shim's port", () => {
  test.each<[string, string]>([
    ['a call that is denied', ''],
    ['a hook that is not JSON', '{"hook_event_name":"Stop",'],
    ['JSON that is not a hook', '[]'],
  ])('answers %s as the socket of the daemon does', async (_, given) => {
    const body = given || write('one')
    const path = '/hook/claude-code'
    const known = await askSocket(lab.paths.socket, { method: 'POST', path, body })
    expect(await asked(question({ body }))).toBe(answer(known.status, known.body))
  })

  test('accepts a request that arrives in two pieces, wherever it is split', async () => {
    const whole = question({ body: write('two') })
    const end = whole.indexOf('{')
    for (const at of [1, end - 1, end, end + 1, whole.length - 1]) {
      expect(await asked(whole.slice(0, at), whole.slice(at))).toContain('requires: shell')
    }
  })

  test('answers an unknown harness with status 404', async () => {
    expect(await asked(question({ harness: 'unknown', body: '{}' }))).toBe(answer(404, '{}'))
  })

  test.each<[string, () => string]>([
    ['sends a wrong token', () => question({ token: 'wrong', body: '{}' })],
    ['sends no length', () => question({ length: '', body: '{}' })],
    ['sends an invalid length', () => question({ length: '-2', body: '{}' })],
    [
      'announces more bytes than a hook may have',
      () => question({ length: '99999999', body: '{}' }),
    ],
    ['never ends its header', () => 'x'.repeat(5000)],
    ['sends HTTP', () => `POST /hook/claude-code HTTP/1.1\r\n${'x: y\r\n'.repeat(1000)}\r\n`],
  ])('sends nothing to a peer that %s', async (_, said) => {
    expect(await asked(said()).catch(() => '')).toBe('')
  })
})
