import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ConfigFolder } from './folder.ts'

test('a file that names its schema is compared without it, and still names it after a pull', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-folder-'))
  onTestFinished(() => fs.rmSync(folder, { recursive: true }))
  const configs = new ConfigFolder(folder)
  const prompt = { ns: 'team', key: 'coder' }
  const file = configs.resolvePromptFile(prompt)
  configs.write(prompt, '{ "ns": "team" }\n')
  expect(fs.readFileSync(file, 'utf8')).toBe('{ "ns": "team" }\n')
  fs.writeFileSync(file, '{ "$schema": "./a.json", "ns": "team" }\n')
  expect(configs.read(prompt)).toBe('{ "ns": "team" }\n')
  expect(configs.configs([])).toMatchObject([{ ...prompt, text: '{ "ns": "team" }\n' }])
  configs.write(prompt, '{\n  "ns": "team",\n  "key": "coder"\n}\n')
  expect(fs.readFileSync(file, 'utf8')).toBe(
    '{\n  "$schema": "./a.json",\n  "ns": "team",\n  "key": "coder"\n}\n',
  )
})
