import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { computeStamp } from './content-stamp.mjs'

function tree(): string {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-stamp-'))
  onTestFinished(() => fs.rmSync(root, { recursive: true }))
  fs.mkdirSync(path.join(root, 'app/dist'), { recursive: true })
  fs.writeFileSync(path.join(root, 'app/page.ts'), 'export const page = 1')
  fs.writeFileSync(path.join(root, 'app/dist/page.js'), String(Math.random()))
  fs.writeFileSync(path.join(root, 'package.json'), '{}')
  return root
}

const INPUTS = ['app', 'package.json', 'absent.json']

test('a changed test file does not change the content stamp of the build', () => {
  const root = tree()
  const before = computeStamp(root, INPUTS)
  fs.writeFileSync(path.join(root, 'app/page.test.ts'), 'it()')
  expect(computeStamp(root, INPUTS)).toBe(before)
})

test('a copied tree with other file times has the same content stamp', () => {
  const [one, other] = [tree(), tree()]
  fs.utimesSync(path.join(other, 'app/page.ts'), 1, 1)
  expect(computeStamp(other, INPUTS)).toBe(computeStamp(one, INPUTS))
})

test.each([
  [
    'a changed byte',
    (root: string) => fs.writeFileSync(path.join(root, 'app/page.ts'), 'export const page = 2'),
  ],
  [
    'a changed name',
    (root: string) =>
      fs.renameSync(path.join(root, 'app/page.ts'), path.join(root, 'app/pages.ts')),
  ],
  ['an additional file', (root: string) => fs.writeFileSync(path.join(root, 'absent.json'), '')],
])('the content stamp changes with %s, even when size and time stay the same', (_what, change) => {
  const root = tree()
  const before = computeStamp(root, INPUTS)
  const { mtime } = fs.statSync(path.join(root, 'app/page.ts'))
  change(root)
  if (fs.existsSync(path.join(root, 'app/page.ts')))
    fs.utimesSync(path.join(root, 'app/page.ts'), mtime, mtime)
  expect(computeStamp(root, INPUTS)).not.toBe(before)
})
