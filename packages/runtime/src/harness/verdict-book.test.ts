import { beforeEach, describe, expect, test } from 'vitest'
import type { HarnessVerdict } from './harness-session.ts'
import type { NativeCall } from './native-call.ts'
import { VerdictBook } from './verdict-book.ts'

const asked: NativeCall[] = []
let allowed = true

const session = {
  before: async (call: NativeCall): Promise<HarnessVerdict> => {
    asked.push(call)
    return allowed ? { allowed, text: null } : { allowed, text: 'No.' }
  },
}

let book: VerdictBook
const WRITE = { tool: 'write', input: { file: 'a' }, callId: '1' }

beforeEach(() => {
  asked.length = 0
  allowed = true
  book = new VerdictBook(session)
})

test('the verdict book does not judge the same call again', async () => {
  const verdict = await book.judge(WRITE)
  expect(await book.verdictOn({ ...WRITE, input: { file: 'a' } })).toBe(verdict)
  expect(asked).toHaveLength(1)
})

describe('the verdict on one call does not apply to', () => {
  test.each([
    ['other arguments', { ...WRITE, input: { file: 'b' } }],
    ['another tool', { ...WRITE, tool: 'read' }],
    ['another id', { ...WRITE, callId: '2' }],
    ['a call without an id', { tool: 'write', input: { file: 'a' } }],
  ])('%s', async (_, other) => {
    await book.judge(WRITE)
    allowed = false
    expect(await book.verdictOn(other)).toEqual({ allowed: false, text: 'No.' })
    expect(asked).toEqual([WRITE, other])
  })

  test('arguments that were changed in place', async () => {
    const input = { file: 'a' }
    await book.judge({ ...WRITE, input })
    input.file = 'b'
    await book.verdictOn({ ...WRITE, input })
    expect(asked).toHaveLength(2)
  })

  test('a call with the same id after the first was removed', async () => {
    await book.judge(WRITE)
    book.forget('1')
    await book.verdictOn(WRITE)
    expect(asked).toHaveLength(2)
  })
})

test('the verdict book judges a call without an id each time', async () => {
  const call = { tool: 'write', input: {} }
  await book.verdictOn(call)
  await book.verdictOn(call)
  expect(asked).toHaveLength(2)
  expect(book.judged()).toEqual([])
})

test('the verdict book judges a call again when the text of its arguments differs', async () => {
  await book.verdictOn(WRITE, '{"file":"a"}')
  await book.verdictOn(WRITE, '{"file": "a"}')
  expect(asked).toHaveLength(2)
})

test('calls stay in the verdict book until they are removed', async () => {
  const verdict = await book.verdictOn(WRITE)
  expect(book.judged()).toMatchObject([{ call: WRITE, verdict }])
  book.forget('1')
  book.forget(undefined)
  expect(book.judged()).toEqual([])
})
