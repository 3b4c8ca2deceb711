import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { IS_SOAK } from '@/scripts/soak-sample.mjs'
import { readToken } from '../daemon/private-files.ts'
import { answerHead } from '../daemon/shim-server.ts'
import { claudeHooks } from '../test/claude-hooks.ts'
import { type RawQuestion, REFUSED, SECRETS, ShimLab } from '../test/shim-lab.ts'

// The shim finds neither curl nor Node.js here, so bash alone sends every request.
const ALONE = { path: '/nowhere' }
const PROGRAMS = { node: '/nowhere/node', entry: '/nowhere/entry' }
const NOBODY = REFUSED('Neither curl nor Node.js')

let lab: ShimLab

beforeEach(() => {
  lab = new ShimLab('bash', '/nowhere/entry')
  lab.write(PROGRAMS)
})
afterEach(() => lab.close())

const claude = () => claudeHooks('one', lab.folder)
const call = () => lab.run(claude().pre('Bash', 'a'), 'claude-code', ALONE)

const head = (bytes: number, status = 200) => answerHead(SECRETS.proof, status, bytes)
const WHOLE = `${head(2)}{}`

describe('the shim over TCP', () => {
  test('reaches the daemon with bash alone', async () => {
    await lab.startReal()
    expect(await call()).toEqual({ code: 0, out: null, err: '' })
    expect(await lab.run(claude().pre('Write', 'b'), 'claude-code', ALONE)).toMatchObject({
      code: 0,
      out: { hookSpecificOutput: { permissionDecision: 'deny' } },
    })
  })

  test('passes every byte of hook and answer, with their lengths in bytes', async () => {
    const asked: RawQuestion[] = []
    const said = JSON.stringify({ reason: 'Grüße, 世界 \u0001\u007f\u2028 "%s\\n"' })
    await lab.startRaw((question) => {
      asked.push(question)
      question.socket.end(head(Buffer.byteLength(said)) + said)
    })
    const payload = JSON.stringify({ text: 'ünï\u2028\\\u0001\u007f\t世界 %s $(x) \\n', end: '\n' })
    const options = {
      ...ALONE,
      env: { LC_ALL: 'C.UTF-8', AI_AGENT: 'a\r\nb', TRACEPARENT: '00-1' },
    }
    expect(await lab.run(`${payload}\n\n`, 'claude-code', options)).toMatchObject({
      code: 0,
      out: JSON.parse(said),
    })
    expect(asked).toMatchObject([{ agent: '', trace: '00-1', body: `${payload}\n\n` }])
  })

  test.each<[string, string, string]>([
    ['is cut in its body', `${head(3)}{}`, 'could not be reached'],
    ['is cut in its header', head(2).slice(0, -4), 'could not be reached'],
    ['is cut before its length', `${SECRETS.proof} 200`, 'could not be reached'],
    ['is empty', '', 'could not be reached'],
    ['has an invalid length', `${head(2).replace('02\n', '0x\n')}{}`, 'could not be reached'],
    ['has a header without an end', `${head(2).replace('\n', ' ')}{}`, 'could not be reached'],
    ['has a NUL', `${head(3)}{\0}`, 'could not be reached'],
    ['is not JSON', `${head(3)}<p>`, 'not answer with JSON'],
    ['has an empty body', head(0), 'not answer with JSON'],
    ['has the status 401', `${head(2, 401)}{}`, 'status 401'],
    ['is HTTP', `HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}`, 'A program other than'],
    ['is short and of another protocol', 'SSH-2.0-OpenSSH\r\n', 'could not be reached'],
    [
      'has a wrong proof',
      WHOLE.replace(SECRETS.proof, 'x'.repeat(SECRETS.proof.length)),
      'A program other than',
    ],
    [
      'has a shell pattern as its proof',
      WHOLE.replace(SECRETS.proof, '*'.padEnd(SECRETS.proof.length)),
      'A program other than',
    ],
  ])('refuses an answer that %s', async (_, answer, reason) => {
    await lab.startRaw(({ socket }) => socket.end(answer))
    expect(await call()).toEqual(REFUSED(reason))
  })

  test('refuses every truncated or altered answer', async () => {
    let answer = Buffer.alloc(0)
    await lab.startRaw(({ socket }) => socket.end(answer))
    const cut = fc.nat(WHOLE.length - 1).map((length) => WHOLE.slice(0, length))
    const other = fc
      .tuple(fc.nat(WHOLE.length - 1), fc.nat(255))
      .map(([at, byte]) => WHOLE.slice(0, at) + String.fromCharCode(byte) + WHOLE.slice(at + 1))
    await fc.assert(
      fc.asyncProperty(fc.oneof(cut, other), async (text) => {
        answer = Buffer.from(text, 'latin1')
        const { code, out } = await call()
        expect(code === 2 || (text === WHOLE && out === null)).toBe(true)
      }),
      { numRuns: IS_SOAK ? 60 : 20 },
    )
  }, 30_000)

  test('refuses when the answer of the daemon does not begin or does not end in time', async () => {
    let begin = ''
    lab.write(PROGRAMS, { maxSeconds: 1 })
    await lab.startRaw(({ socket }) => {
      socket.write(begin)
      const drip = setInterval(() => socket.write(' '), 50)
      socket.on('close', () => clearInterval(drip))
    })
    for (begin of ['', head(100)]) {
      expect(await call()).toEqual(REFUSED('did not answer in time'))
    }
  })

  test('refuses when the daemon does not read all of the input in time', async () => {
    lab.write(PROGRAMS, { maxSeconds: 1 })
    const server = net.createServer((socket) => socket.pause())
    await lab.listen(server)
    const payload = { ...claude().pre('Bash', 'a'), more: 'x'.repeat(32_000) }
    expect(await lab.run(payload, 'claude-code', ALONE)).toEqual(REFUSED('in time'))
  })

  test("refuses a call when the daemon does not know the shim's token", async () => {
    await lab.startReal()
    const [form, port, pid, , proof] = fs.readFileSync(lab.paths.shimAddress, 'utf8').split(' ')
    for (const token of ['wrong', readToken(lab.paths.token)]) {
      fs.writeFileSync(lab.paths.shimAddress, `${form} ${port} ${pid} ${token} ${proof}`)
      expect(await call()).toEqual(REFUSED('could not be reached'))
    }
  })

  test('falls back to curl when the door file has another format or its daemon is gone', async () => {
    const asked = vi.fn()
    await lab.startRaw(asked)
    const [form, port, pid, token, proof] = fs
      .readFileSync(lab.paths.shimAddress, 'utf8')
      .split(' ')
    fs.writeFileSync(lab.paths.shimAddress, `${port} ${pid} ${token} ${proof}`)
    expect(await call()).toEqual(NOBODY)
    for (const gone of ['4194999', '', 'x', '0x1']) {
      fs.writeFileSync(lab.paths.shimAddress, `${form} ${port} ${gone} ${token} ${proof}`)
      expect(await call()).toEqual(NOBODY)
    }
    expect(asked).not.toHaveBeenCalled()
  })

  test('ignores shell settings and functions of the environment', async () => {
    await lab.startReal()
    const file = path.join(lab.folder, 'env')
    fs.writeFileSync(file, 'exit 0')
    const env = {
      BASH_ENV: file,
      POSIXLY_CORRECT: '1',
      'BASH_FUNC_printf%%': '() { exit 0; }',
      'BASH_FUNC_read%%': '() { exit 0; }',
      TMOUT: '1',
      IFS: ':',
    }
    expect(
      await lab.run(claude().pre('Write', 'b'), 'claude-code', { ...ALONE, env }),
    ).toMatchObject({ code: 0, out: { hookSpecificOutput: { permissionDecision: 'deny' } } })
    fs.rmSync(lab.paths.shimAddress)
    expect(await lab.run(claude().stop(), 'claude-code', { ...ALONE, env })).toEqual(NOBODY)
  })

  test('keeps its secrets in a private file, not in its text or output', async () => {
    await lab.startReal()
    const [, , , token, proof] = fs.readFileSync(lab.paths.shimAddress, 'utf8').trim().split(' ')
    const { out, err } = await lab.run(claude().pre('Write', 'b'), 'claude-code', ALONE)
    for (const secret of [token, proof]) {
      expect(secret).toMatch(/^[\w-]{22}$/)
      expect(JSON.stringify(out) + err).not.toContain(secret)
      expect(fs.readFileSync(lab.paths.shim, 'utf8')).not.toContain(secret)
    }
    expect(fs.statSync(lab.paths.shimAddress).mode & 0o777).toBe(0o600)
  })
})
