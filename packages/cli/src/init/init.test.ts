import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { isJsonObject, type JsonObject } from '@signalbox/core'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { run } from '../run.ts'
import { makeSurroundings, recordIo } from '../test/command-parts.ts'
import { type HookSettings, withHooks, withoutHooks } from './merge-hooks.ts'

let root: string
let project: string
let home: string
let env: Record<string, string>

beforeEach(() => {
  root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-init-')))
  project = path.join(root, 'project')
  home = path.join(root, 'home')
  env = { PATH: '/nowhere' }
  fs.mkdirSync(project)
  fs.mkdirSync(home)
})

afterEach(() => fs.rmSync(root, { recursive: true, force: true }))

async function init(...words: readonly string[]) {
  const { io, out, err } = recordIo()
  const programs = { node: '/usr/bin/node', entry: '/opt/signalbox/main.js' }
  const around = makeSurroundings({ env, cwd: project, home, ...programs })
  const code = await run(['init', ...words], io, around)
  return { code, out: out.join('\n'), err: err.join('\n') }
}

const inProject = (name: string) => path.join(project, name)
const read = (file: string) => fs.readFileSync(file, 'utf8')
function write(file: string, text: string): void {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, text)
}
function listFolderFiles(folder: string): readonly string[] {
  return fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => fs.statSync(path.join(folder, name)).isFile())
    .sort()
}
const SHIM = () => path.join(home, '.local/state/signalbox/daemon-hook')

const PLACES = [
  ['claude-code', '.claude/settings.local.json', '.claude/settings.json'],
  ['codex', '.codex/hooks.json', '.codex/hooks.json'],
  ['gemini-cli', '.gemini/settings.json', '.gemini/settings.json'],
  ['copilot', '.github/hooks/signalbox.json', '.copilot/hooks/signalbox.json'],
] as const

describe.each(PLACES)('init for %s', (name, ofProject, ofUser) => {
  test('shows the change, and writes it only with --yes', async () => {
    const shown = await init(name)
    expect(shown.code).toBe(0)
    expect(shown.out).toContain(inProject(ofProject))
    expect(shown.out).toContain(`'${SHIM()}' `)
    expect((await init(name, '--dry-run')).code).toBe(0)
    expect([...listFolderFiles(project), ...listFolderFiles(home)]).toEqual([])

    const written = await init(name, '--yes')
    expect(written.code).toBe(0)
    expect(written.out).not.toContain(`'${SHIM()}' `)
    expect(listFolderFiles(project)).toEqual([ofProject])
    expect(read(inProject(ofProject))).toContain(`'${SHIM()}' `)
    expect((fs.statSync(SHIM()).mode & 0o777).toString(8)).toBe('700')
  })

  test('changes nothing the second time, and --undo restores the files exactly', async () => {
    const before = `{\n\t"mine": [1,2],\n\t"hooks": { }\n}`
    write(inProject(ofProject), before)
    await init(name, '--yes')
    const once = read(inProject(ofProject))
    expect(once).toContain('"mine": [1,2]')
    expect(await init(name, '--yes')).toMatchObject({ code: 0 })
    expect(read(inProject(ofProject))).toBe(once)
    await init(name, '--yes', '--undo')
    expect(read(inProject(ofProject))).toBe(before)
  })

  test('writes only settings of the user with --scope user', async () => {
    await init(name, '--yes', '--scope', 'user')
    expect(listFolderFiles(project)).toEqual([])
    expect(listFolderFiles(home).filter((file) => !file.startsWith('.local'))).toEqual([ofUser])
    await init(name, '--yes', '--undo', '--scope', 'user')
    expect(listFolderFiles(home).filter((file) => !file.startsWith('.local'))).toEqual([])
  })

  test('refuses settings that are not JSON, with line and column, and keeps them', async () => {
    const broken = '{\n  "a": 1\n  "b": 2\n}'
    write(inProject(ofProject), broken)
    const refused = await init(name, '--yes')
    expect(refused.code).toBe(2)
    expect(refused.err).toContain(`${inProject(ofProject)}:3:3: this is not JSON`)
    expect(read(inProject(ofProject))).toBe(broken)
  })
})

describe('signalbox init', () => {
  const other = { hooks: [{ type: 'command', command: 'mine' }] }

  test('keeps hooks of other tools and later changes when --undo removes its own hooks', async () => {
    const file = inProject('.claude/settings.local.json')
    write(file, JSON.stringify({ hooks: { PreToolUse: [other], Other: [other] } }, null, 4))
    await init('claude-code', '--yes')
    const changed = JSON.parse(read(file))
    expect(changed.hooks.PreToolUse).toHaveLength(2)
    write(file, JSON.stringify({ ...changed, later: true }))
    await init('claude-code', '--yes', '--undo')
    expect(JSON.parse(read(file))).toEqual({
      hooks: { PreToolUse: [other], Other: [other] },
      later: true,
    })
  })

  test('replaces the hooks of an earlier init', async () => {
    const file = inProject('.claude/settings.local.json')
    await init('claude-code', '--yes', '--socket', path.join(home, 'private', 'a.sock'))
    await init('claude-code', '--yes', '--http')
    const { hooks } = JSON.parse(read(file))
    expect(hooks.PreToolUse).toHaveLength(1)
    expect(hooks.PreToolUse[0].hooks[0]).toMatchObject({
      type: 'http',
      url: 'http://127.0.0.1:7467/hook/claude-code',
      onFailure: 'block',
    })
    expect(hooks.Stop[0].hooks[0]).toMatchObject({ type: 'command' })
    expect(read(file)).not.toContain('a-hook')
  })

  test('writes HTTP hooks with the port from the environment, unless --port is given', async () => {
    const file = inProject('.claude/settings.local.json')
    env['SIGNALBOX_DAEMON_PORT'] = '7500'
    await init('claude-code', '--yes', '--http')
    expect(read(file)).toContain('http://127.0.0.1:7500/hook/claude-code')
    await init('claude-code', '--yes', '--http', '--port', '7501')
    expect(read(file)).toContain('http://127.0.0.1:7501/hook/claude-code')
  })

  test.each([
    ['"hooks": []', '"hooks" is not an object'],
    ['"hooks": {"Stop": {}}', '"hooks.Stop" is not a list'],
  ])('leaves settings with hooks of an unknown format unchanged: %s', async (text, reason) => {
    write(inProject('.codex/hooks.json'), `{${text}}`)
    expect((await init('codex', '--yes')).err).toContain(reason)
    expect(read(inProject('.codex/hooks.json'))).toBe(`{${text}}`)
  })
})

test('signalbox init keeps comments in settings that the harness parses with comments', async () => {
  const file = inProject('.gemini/settings.json')
  const before = '{\n  // what I like\n  "ui": { "theme": "dark" }, /* so */\n}\n'
  write(file, before)
  await init('gemini-cli', '--yes')
  expect(read(file)).toContain('// what I like')
  expect(read(file)).toContain('/* so */')
  write(file, `${read(file)}// later\n`)
  await init('gemini-cli', '--yes', '--undo')
  expect(read(file)).not.toContain('daemon-hook')
  expect(read(file)).toContain('"ui": { "theme": "dark" }, /* so */')
})

test('signalbox init follows no link that leads out of the project', async () => {
  fs.mkdirSync(path.join(root, 'elsewhere'))
  fs.symlinkSync(path.join(root, 'elsewhere'), inProject('.codex'))
  const refused = await init('codex', '--yes')
  expect(refused.err).toContain('which is outside')
  expect(listFolderFiles(path.join(root, 'elsewhere'))).toEqual([])
})

test('signalbox init writes to the target of a linked settings file, which stays a link', async () => {
  write(inProject('dotfiles/hooks.json'), '{}')
  fs.mkdirSync(inProject('.codex'))
  fs.symlinkSync('../dotfiles/hooks.json', inProject('.codex/hooks.json'))
  await init('codex', '--yes')
  expect(fs.lstatSync(inProject('.codex/hooks.json')).isSymbolicLink()).toBe(true)
  expect(read(inProject('dotfiles/hooks.json'))).toContain('daemon-hook')
})

test.each([
  [['codex', '--http'], 'codex does not support HTTP hooks'],
  [['codex', '--dir', 'none'], 'does not exist'],
  [['vim'], 'Allowed choices are claude-code, codex, gemini-cli, copilot, opencode'],
])('signalbox init refuses the options %j', async (words, reason) => {
  const refused = await init(...words)
  expect(refused.code).toBe(2)
  expect(refused.err).toContain(reason)
})

describe('merging hooks', () => {
  const isOurs = (entry: unknown) => isJsonObject(entry) && entry['ours'] === true
  const ours: HookSettings = {
    hooks: { Pre: [{ ours: true }], Stop: [{ ours: true, n: 1 }] },
    isOurs,
    base: {},
    hasComments: false,
  }
  const entries = fc.array(fc.constantFrom<JsonObject>({ a: 1 }, { b: [] }), { maxLength: 3 })
  const settings = fc.record(
    {
      'other-1': fc.jsonValue(),
      hooks: fc.dictionary(fc.constantFrom('Pre', 'Stop', 'Post'), entries),
      last: fc.jsonValue(),
    },
    { requiredKeys: [] },
  )

  test("adds Signalbox's hooks, keeps all others, is idempotent and can be undone", () => {
    fc.assert(
      fc.property(settings, fc.constantFrom(0, 2, '\t'), (value, indent) => {
        const before = JSON.stringify(value, null, indent)
        const after = withHooks(before, 'f', ours)
        expect(withHooks(after, 'f', ours)).toBe(after)
        const { hooks, ...rest } = JSON.parse(after)
        const { hooks: hooksBefore = {}, ...restBefore } = JSON.parse(before)
        expect(rest).toEqual(restBefore)
        for (const event of ['Pre', 'Stop', 'Post']) {
          const mine: readonly unknown[] = hooks[event] ?? []
          expect(mine.filter((entry) => !isOurs(entry))).toEqual(hooksBefore[event] ?? [])
        }
        const left = JSON.parse(withoutHooks(after, 'f', ours))
        const kept = Object.entries(left.hooks ?? {}).filter(([, list]) => Object(list).length > 0)
        const had = Object.entries(hooksBefore).filter(([, list]) => Object(list).length > 0)
        expect(Object.fromEntries(kept)).toEqual(Object.fromEntries(had))
      }),
    )
  })
})
