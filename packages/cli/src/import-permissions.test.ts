// The command: the files that it finds, the config and report that it prints, and its exit codes. The conversion has tests of its own.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseConfigText } from '@signalbox/wire'
import { expect, onTestFinished, test } from 'vitest'
import { run } from './index.ts'
import { makeSurroundings, recordIo } from './test/command-parts.ts'

function makeFolder(files: Readonly<Record<string, string>>): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-permissions-'))
  onTestFinished(() => fs.rmSync(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    fs.writeFileSync(path.join(folder, name), text)
  }
  return folder
}

async function importFrom(folder: string, words: string) {
  const { io, out, err } = recordIo()
  const around = makeSurroundings({
    cwd: path.join(folder, 'app'),
    home: path.join(folder, 'home'),
  })
  const all = ['import-permissions', ...words.split(' '), '--prompt', 'team/coder']
  return { code: await run(all, io, around), out, err }
}

const settings = (permissions: object) => JSON.stringify({ permissions })

test('the files of the folder and of the user are found, in their precedence', async () => {
  const folder = makeFolder({
    'app/.claude/settings.json': settings({ deny: ['WebFetch'], defaultMode: 'plan' }),
    'app/.claude/settings.local.json': settings({ defaultMode: 'bypassPermissions' }),
    'home/.claude/settings.json': settings({ deny: ['WebSearch'] }),
  })
  const { code, out, err } = await importFrom(folder, 'claude')
  expect(code).toBe(0)
  expect(parseConfigText(out.join('\n'))).toMatchObject({
    ok: true,
    document: { ns: 'team', key: 'coder', policies: [{ id: 'deny-1' }, { id: 'deny-2' }] },
  })
  expect(err.filter((line) => line.endsWith('.json'))).toEqual([
    path.join(folder, 'app/.claude/settings.local.json'),
    path.join(folder, 'app/.claude/settings.json'),
    path.join(folder, 'home/.claude/settings.json'),
  ])
  expect(err).toContain('4 entries: 2 exact, 0 stricter, 2 not needed, 0 not carried')
  expect(err).toContain('               Denies every call of web_fetch. (deny-1)')
})

test('Codex reads the rules beside its settings', async () => {
  const folder = makeFolder({
    'home/.codex/config.toml': 'approval_policy = "never"\n',
    'home/.codex/rules/default.rules': 'prefix_rule(pattern = ["rm"], decision = "forbidden")\n',
    'app/a.txt': '',
  })
  const { code, out } = await importFrom(folder, 'codex --json')
  expect(code).toBe(0)
  expect(JSON.parse(out.join(''))).toMatchObject({
    config: { policies: [{ type: 'expression', tools: ['shell'] }] },
    report: [{ conversion: 'not_needed' }, { conversion: 'stricter', rules: ['deny-1'] }],
    limits: expect.arrayContaining([expect.stringContaining('sandbox')]),
  })
})

test('the config is written to a file, in shadow mode, and the report to standard output', async () => {
  const folder = makeFolder({ 'app/managed.json': settings({ deny: ['Bash'], ask: ['Read(**)'] }) })
  const words = 'claude managed.json --shadow --out config.json'
  const { code, out } = await importFrom(folder, words)
  expect(code).toBe(1)
  expect(out.at(0)).toBe('managed.json')
  expect(out.at(-1)).toBe('The config was written to config.json.')
  const text = fs.readFileSync(path.join(folder, 'app/config.json'), 'utf8')
  expect(parseConfigText(text)).toMatchObject({
    document: { policies: [{ mode: 'shadow' }, { mode: 'shadow' }] },
  })
})

test.each([
  ['claude', /^There is no permission file\. Name one; looked for .*settings\.json/],
  ['claude none.json', /^none\.json cannot be read: it does not exist\.$/],
  ['claude a b c d e', /^Import at most 4 files at once\.$/],
  ['codex a.txt', /^a\.txt is not TOML/],
  ['gemini', /Allowed choices are claude, codex/],
])('%s is refused', async (words, message) => {
  const { code, err } = await importFrom(makeFolder({ 'app/a.txt': 'a = ' }), words)
  expect(code).toBe(2)
  expect(err.join('\n')).toMatch(message)
})
