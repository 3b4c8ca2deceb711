import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { KeptAnswers } from './kept-answers.ts'

const KEY = 'a'.repeat(64)
const OTHER = 'b'.repeat(64)

function folder(): string {
  const made = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-answers-'))
  onTestFinished(() => fs.rmSync(made, { recursive: true, force: true }))
  return made
}

const createKeptAnswer = (question: string, body = question) => ({ question, body, headers: {} })

test('a relay keeps the answers to the latest requests of an API key, and always those with key records', async () => {
  const place = folder()
  const answers = new KeptAnswers(place)
  const put = (hash: string, question: string) =>
    answers.put(hash, createKeptAnswer(question), answers.nextTurn())
  await put(OTHER, 'config')
  await put(KEY, 'keys')
  await put(KEY, 'config')
  for (let part = 1; part <= 20; part += 1) {
    answers.touch(KEY, 'config')
    await put(KEY, `config?parts=${part}`)
  }
  const last = Array.from({ length: 15 }, (_, index) => `config?parts=${index + 6}`)
  const expected = ['keys', 'config', ...last].sort()
  for (const each of [answers, new KeptAnswers(place)]) {
    expect([...each.questions(KEY)].sort()).toEqual(expected)
    expect(each.questions(OTHER)).toEqual(['config'])
  }
  await answers.drop(KEY)
  expect(new KeptAnswers(place).questions(KEY)).toEqual([])
})

test('a kept answer to a request does not replace the answer to a later request', async () => {
  const place = folder()
  const answers = new KeptAnswers(place)
  const [slow, quick] = [answers.nextTurn(), answers.nextTurn()]
  await Promise.all([
    answers.put(KEY, createKeptAnswer('config', 'new'), quick),
    answers.put(KEY, createKeptAnswer('config', 'old'), slow),
  ])
  expect(answers.get(KEY, 'config')?.body).toBe('new')
  expect(new KeptAnswers(place).get(KEY, 'config')?.body).toBe('new')
})
